import type { Settings } from "@tapedeck/client"

export const categories = [
  "authentication",
  "authorization",
  "data_access",
  "data_changes",
  "admin_actions",
  "security"
] as const satisfies ReadonlyArray<Settings.AuditCategory>

export const severities = ["low", "medium", "high"] as const satisfies ReadonlyArray<Settings.AuditSeverity>

export const eventTypes = [
  "user.login",
  "user.logout",
  "user.login_failed",
  "user.password_changed",
  "user.password_link_created",
  "user.session_ended",
  "access.denied",
  "user.api_token_created",
  "user.api_token_viewed",
  "user.api_token_renamed",
  "user.api_token_deleted",
  "automation.secret_viewed",
  "automation.secret_rotated",
  "audit_destination.secret_viewed",
  "audit_destination.secret_rotated",
  "audit_destination.secret_removed",
  "recording.downloaded",
  "recording.created",
  "recording.updated",
  "recording.deleted",
  "recording.added_to_folder",
  "recording.removed_from_folder",
  "recording.sharing_changed",
  "recording.share_link_created",
  "recording.share_link_revoked",
  "transcript.requested",
  "transcript.updated",
  "folder.created",
  "folder.updated",
  "folder.deleted",
  "account.updated",
  "user.invited",
  "user.updated",
  "user.role_changed",
  "user.deactivated",
  "user.reactivated",
  "automation.created",
  "automation.updated",
  "automation.deleted",
  "automation.tested",
  "automation.redelivered",
  "automation.delivery_cancelled",
  "audit_destination.created",
  "audit_destination.updated",
  "audit_destination.deleted",
  "audit_destination.tested",
  "audit_destination.redelivered",
  "audit_destination.delivery_cancelled",
  "redelivery.started",
  "redelivery.stopped"
] as const satisfies ReadonlyArray<Settings.AuditEventType>

export const severityTones = { low: "plain", medium: "warn", high: "bad" } as const
