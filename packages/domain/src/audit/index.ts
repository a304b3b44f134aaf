/** The audit log: its entries, their payloads, and the chain that reveals changes. */
export {
  AuditCategory,
  AuditChanges,
  AuditEntry,
  AuditEventType,
  AuditMetadata,
  AuditSeverity,
  AuditStatus
} from "./AuditEntry.ts"
export {
  AuditCheckpoint,
  type AuditHead,
  AuditSeal,
  auditLink,
  checkpointAt,
  isSigned,
  type Mac,
  nextSeal
} from "./auditChain.ts"
export { type AuditPayloadInput, auditPayload } from "./auditPayload.ts"
export {
  type AuditPlaceholder,
  auditCategories,
  auditEventTypes,
  auditSeverities,
  classify,
  predicateOf
} from "./eventTypes.ts"
