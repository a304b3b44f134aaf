import * as Schema from "effect/Schema"
import { AccountId, AuditEntryId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"
import { auditCategories, auditEventTypes, auditSeverities } from "./eventTypes.ts"

/** Category of an audit entry. */
export const AuditCategory = Schema.Literals(auditCategories)
export type AuditCategory = typeof AuditCategory.Type

/** Severity of an audit entry. */
export const AuditSeverity = Schema.Literals(auditSeverities)
export type AuditSeverity = typeof AuditSeverity.Type

export const AuditEventType = Schema.Literals(auditEventTypes)
export type AuditEventType = typeof AuditEventType.Type

/** Changes by field. `from` is null for a field that was created, `to` for one that was deleted. */
export const AuditChanges = Schema.Record(Schema.String, Schema.Struct({ from: Schema.Json, to: Schema.Json }))
export type AuditChanges = typeof AuditChanges.Type

/**
 * `metadata` of an audit entry. The target is the subject of the event, with its id as a string. `suppressed` is the number of denials
 * of the same caller and operation since the last entry that have no entry; absent if there are none.
 */
export const AuditMetadata = Schema.Struct({
  targetType: Schema.String,
  targetId: Schema.String,
  changes: AuditChanges,
  suppressed: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
})
export type AuditMetadata = typeof AuditMetadata.Type

export const AuditStatus = Schema.Literals(["success", "failure"])
export type AuditStatus = typeof AuditStatus.Type

export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  accountId: AccountId,
  eventType: AuditEventType,
  status: AuditStatus,
  at: Instant,
  /** User who acted; null for the system. */
  userId: Schema.NullOr(UserId),
  ipAddress: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  metadata: AuditMetadata
})
export type AuditEntry = typeof AuditEntry.Type
