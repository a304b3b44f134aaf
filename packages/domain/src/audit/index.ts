/** The audit log: entries, what is sent of them, and the chain that shows changes. */
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
export { auditCategories, auditEventTypes, auditSeverities, classify } from "./eventTypes.ts"
