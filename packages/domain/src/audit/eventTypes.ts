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

interface EventType extends Classification {
  /**
   * Predicate of a sentence about an entry, whose subject is its user. `{target}` is the name of the target, `{type}` its type, and
   * `{field.from}` and `{field.to}` are values of a changed field.
   */
  readonly predicate: string
}

const as = (category: AuditCategory, severity: AuditSeverity, predicate: string): EventType => ({
  category,
  severity,
  predicate
})

/**
 * The table of audit event types. Reads and routine changes are low. Changes of access, disclosures and irreversible changes are
 * medium. Changes that extend a user's permissions or silence the audit log are high. Some event types have another severity. Each has the
 * predicate of a sentence about its entries.
 */
const classifications = {
  "user.login": as("authentication", "low", "signed in"),
  "user.logout": as("authentication", "low", "signed out"),
  "user.login_failed": as("authentication", "medium", "was named in a sign-in"),
  "user.password_changed": as("authentication", "medium", "set a new password"),
  "user.password_link_created": as("authentication", "medium", "created a password link for {target}"),
  "user.session_ended": as("authentication", "low", "signed out the {type} {target}"),
  "access.denied": as("authorization", "medium", "tried to use the {type} {target}"),
  "user.api_token_created": as("security", "medium", "created the API token {target}"),
  "user.api_token_viewed": as("security", "medium", "viewed the API token {target}"),
  "user.api_token_renamed": as("security", "low", "renamed the API token {target}"),
  "user.api_token_deleted": as("security", "medium", "revoked the API token {target}"),
  "automation.secret_viewed": as("security", "medium", "viewed the secret of the automation {target}"),
  "automation.secret_rotated": as("security", "medium", "rotated the secret of the automation {target}"),
  "audit_destination.secret_viewed": as("security", "medium", "viewed the secret of the audit destination {target}"),
  "audit_destination.secret_rotated": as("security", "medium", "rotated the secret of the audit destination {target}"),
  "audit_destination.secret_removed": as("security", "high", "removed the secret of the audit destination {target}"),
  "recording.downloaded": as("data_access", "low", "downloaded {target}"),
  "recording.created": as("data_changes", "low", "created {target}"),
  "recording.updated": as("data_changes", "low", "changed {target}"),
  "recording.deleted": as("data_changes", "medium", "deleted {target}"),
  "recording.added_to_folder": as("data_changes", "low", "moved {target} into the folder {folder_id.to}"),
  "recording.removed_from_folder": as("data_changes", "low", "removed {target} from the folder {folder_id.from}"),
  "recording.sharing_changed": as("data_changes", "medium", "changed who may open {target}"),
  "recording.share_link_created": as("data_changes", "medium", "created a share link of {target}"),
  "recording.share_link_revoked": as("data_changes", "low", "revoked a share link of {target}"),
  "transcript.requested": as("data_changes", "low", "requested a transcript of {target}"),
  "transcript.updated": as("data_changes", "low", "changed the transcript of {target}"),
  "folder.created": as("data_changes", "low", "created the folder {target}"),
  "folder.updated": as("data_changes", "low", "renamed the folder {name.from} to {name.to}"),
  "folder.deleted": as("data_changes", "medium", "deleted the folder {target}"),
  "capture_link.created": as("data_changes", "low", "created the capture link {target}"),
  "capture_link.updated": as("data_changes", "low", "changed the capture link {target}"),
  "capture_link.revoked": as("data_changes", "low", "revoked the capture link {target}"),
  "account.updated": as("admin_actions", "medium", "changed the settings of the account"),
  "user.invited": as("admin_actions", "medium", "invited {target}"),
  "user.updated": as("admin_actions", "low", "changed the profile of {target}"),
  "user.role_changed": as("admin_actions", "high", "changed the role of {target} from {role.from} to {role.to}"),
  "user.deactivated": as("admin_actions", "medium", "deactivated {target}"),
  "user.reactivated": as("admin_actions", "medium", "reactivated {target}"),
  "automation.created": as("admin_actions", "medium", "created the automation {target}"),
  "automation.updated": as("admin_actions", "medium", "changed the automation {target}"),
  "automation.deleted": as("admin_actions", "medium", "deleted the automation {target}"),
  "automation.tested": as("admin_actions", "low", "sent a test of the automation {target}"),
  "automation.redelivered": as("admin_actions", "low", "delivered a webhook of the automation {target} again"),
  "automation.delivery_cancelled": as("admin_actions", "low", "cancelled a delivery of the automation {target}"),
  "site.created": as("admin_actions", "medium", "created the site {target}"),
  "site.updated": as("admin_actions", "medium", "changed the site {target}"),
  "site.deleted": as("admin_actions", "medium", "deleted the site {target}"),
  "audit_destination.created": as("admin_actions", "medium", "created the audit destination {target}"),
  "audit_destination.updated": as("admin_actions", "high", "changed the audit destination {target}"),
  "audit_destination.deleted": as("admin_actions", "high", "deleted the audit destination {target}"),
  "audit_destination.tested": as("admin_actions", "low", "sent a test of the audit destination {target}"),
  "audit_destination.redelivered": as(
    "admin_actions",
    "low",
    "delivered an entry to the audit destination {target} again"
  ),
  "audit_destination.delivery_cancelled": as(
    "admin_actions",
    "medium",
    "cancelled a delivery to the audit destination {target}"
  ),
  "redelivery.started": as("admin_actions", "medium", "started to deliver webhooks again by a filter"),
  "redelivery.stopped": as("admin_actions", "low", "stopped delivering webhooks again by a filter")
} as const satisfies Readonly<Record<string, EventType>>

export type AuditEventType = keyof typeof classifications

/** All audit event types, in the order of the table. */
export const auditEventTypes = Object.keys(classifications) as ReadonlyArray<AuditEventType>

/** Returns the category and severity of an event type. */
export const classify = (eventType: AuditEventType): Classification => classifications[eventType]

/** A word of a sentence that depends on the entry: its target, the target's type, or a value of a changed field. */
export type AuditPlaceholder =
  | { readonly of: "target" | "type" }
  | { readonly field: string; readonly side: "from" | "to" }

const placeholderOf = (name: string): AuditPlaceholder => {
  if (name === "target" || name === "type") return { of: name }
  const [field, side] = name.split(".")
  return { field: field!, side: side === "from" ? side : "to" }
}

/** Returns the predicate of a sentence about an entry of the event type: texts and placeholders, in turns. */
export const predicateOf = (eventType: AuditEventType): ReadonlyArray<string | AuditPlaceholder> =>
  classifications[eventType].predicate
    .split(/[{}]/)
    .map((part, index) => (index % 2 === 0 ? part : placeholderOf(part)))
