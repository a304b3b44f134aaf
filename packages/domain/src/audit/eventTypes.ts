/** Audit event types and their classification, as plain data, so that a browser can load it without Effect. */

/** The subjects of audit entries. */
export const auditCategories = [
  "authentication",
  "authorization",
  "data_access",
  "data_changes",
  "admin_actions",
  "security"
] as const
export type AuditCategory = (typeof auditCategories)[number]

/** Severities of audit entries, in ascending order. */
export const auditSeverities = ["low", "medium", "high"] as const
export type AuditSeverity = (typeof auditSeverities)[number]

interface Classification {
  readonly category: AuditCategory
  readonly severity: AuditSeverity
}

const as = (category: AuditCategory, severity: AuditSeverity): Classification => ({ category, severity })

/**
 * The table of audit event types. Reads and routine changes are low. Changes of access, disclosures and irreversible changes are
 * medium. Changes that extend a user's permissions or silence the audit log are high. Some event types have another severity.
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

/** All audit event types, in the order of the table. */
export const auditEventTypes = Object.keys(classifications) as ReadonlyArray<AuditEventType>

/** Returns the category and severity of an event type. */
export const classify = (eventType: AuditEventType): Classification => classifications[eventType]
