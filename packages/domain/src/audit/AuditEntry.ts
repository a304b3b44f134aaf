import * as Schema from "effect/Schema"
import { AccountId, AuditEntryId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** What an audit entry is about. */
export const AuditCategory = Schema.Literals([
  "authentication",
  "authorization",
  "data_access",
  "data_changes",
  "admin_actions",
  "security"
])
export type AuditCategory = typeof AuditCategory.Type

/** How much attention an audit entry asks for. */
export const AuditSeverity = Schema.Literals(["low", "medium", "high"])
export type AuditSeverity = typeof AuditSeverity.Type

interface Classification {
  readonly category: AuditCategory
  readonly severity: AuditSeverity
}

const as = (category: AuditCategory, severity: AuditSeverity): Classification => ({ category, severity })

/**
 * The one table of audit event types. Reading and routine changes are low; what changes who gets in, what leaves the account, or
 * cannot be undone is medium; what extends a user's rights, or silences the audit log, is high. Some event types have a severity
 * that was given.
 */
const classifications = {
  "user.login": as("authentication", "low"),
  "user.logout": as("authentication", "low"),
  "user.login_failed": as("authentication", "medium"),
  "user.password_changed": as("authentication", "medium"),
  "user.password_link_created": as("authentication", "medium"),
  "user.session_ended": as("authentication", "low"),
  "access.denied": as("authorization", "medium"),
  "user.api_token_created": as("security", "medium"),
  "user.api_token_viewed": as("security", "medium"),
  "user.api_token_renamed": as("security", "low"),
  "user.api_token_deleted": as("security", "medium"),
  "automation.secret_viewed": as("security", "medium"),
  "automation.secret_rotated": as("security", "medium"),
  "audit_destination.secret_viewed": as("security", "medium"),
  "audit_destination.secret_rotated": as("security", "medium"),
  "audit_destination.secret_removed": as("security", "high"),
  "recording.downloaded": as("data_access", "low"),
  "recording.created": as("data_changes", "low"),
  "recording.updated": as("data_changes", "low"),
  "recording.deleted": as("data_changes", "medium"),
  "recording.added_to_folder": as("data_changes", "low"),
  "recording.removed_from_folder": as("data_changes", "low"),
  "recording.sharing_changed": as("data_changes", "medium"),
  "recording.share_link_created": as("data_changes", "medium"),
  "recording.share_link_revoked": as("data_changes", "low"),
  "transcript.requested": as("data_changes", "low"),
  "transcript.updated": as("data_changes", "low"),
  "folder.created": as("data_changes", "low"),
  "folder.updated": as("data_changes", "low"),
  "folder.deleted": as("data_changes", "medium"),
  "capture_link.created": as("data_changes", "low"),
  "capture_link.updated": as("data_changes", "low"),
  "capture_link.revoked": as("data_changes", "low"),
  "account.updated": as("admin_actions", "medium"),
  "user.invited": as("admin_actions", "medium"),
  "user.updated": as("admin_actions", "low"),
  "user.role_changed": as("admin_actions", "high"),
  "user.deactivated": as("admin_actions", "medium"),
  "user.reactivated": as("admin_actions", "medium"),
  "automation.created": as("admin_actions", "medium"),
  "automation.updated": as("admin_actions", "medium"),
  "automation.deleted": as("admin_actions", "medium"),
  "automation.tested": as("admin_actions", "low"),
  "automation.redelivered": as("admin_actions", "low"),
  "automation.delivery_cancelled": as("admin_actions", "low"),
  "site.created": as("admin_actions", "medium"),
  "site.updated": as("admin_actions", "medium"),
  "site.deleted": as("admin_actions", "medium"),
  "audit_destination.created": as("admin_actions", "medium"),
  "audit_destination.updated": as("admin_actions", "high"),
  "audit_destination.deleted": as("admin_actions", "high"),
  "audit_destination.tested": as("admin_actions", "low"),
  "audit_destination.redelivered": as("admin_actions", "low"),
  "audit_destination.delivery_cancelled": as("admin_actions", "medium"),
  "redelivery.started": as("admin_actions", "medium"),
  "redelivery.stopped": as("admin_actions", "low")
} as const satisfies Readonly<Record<string, Classification>>

export type AuditEventType = keyof typeof classifications

/** Every audit event type there is, in the table's order: for schemas, filters and the documentation. */
export const auditEventTypes = Object.keys(classifications) as ReadonlyArray<AuditEventType>

export const AuditEventType = Schema.Literals(auditEventTypes)

/** The category and severity of an event type. */
export const classify = (eventType: AuditEventType): Classification => classifications[eventType]

/** What was changed, field by field; `from` is null for what was made, `to` for what was deleted. */
export const AuditChanges = Schema.Record(Schema.String, Schema.Struct({ from: Schema.Json, to: Schema.Json }))
export type AuditChanges = typeof AuditChanges.Type

/**
 * `metadata`. The target is what the event was done to; its id is written as a string. `suppressed` is the number of
 * denials of the same caller and operation that were left out since the last entry, where there are any.
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
  /** The acting user; null for the system. */
  userId: Schema.NullOr(UserId),
  ipAddress: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  metadata: AuditMetadata
})
export type AuditEntry = typeof AuditEntry.Type
