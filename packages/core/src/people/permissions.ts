import type { Recording } from "@tapedeck/domain"
import { Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { ApiAccessDisabled, Forbidden, SessionRequired } from "../errors.ts"
import { mayReadAs } from "../recordings/visibility.ts"
import type { Caller } from "./Caller.ts"

/**
 * The permission of each operation, in one place. `member` means every signed-in user of the account, on what they may see; `session` the
 * same, but signed in, and not by an access token (S1); `admin_session` an admin who is.
 */
export const operations = {
  "recordings.list": "member",
  "recordings.read": "member",
  "recordings.update": "admin",
  "recordings.download": "member",
  "transcripts.read": "member",
  "users.list": "admin",
  "users.search": "admin",

  // The settings API. Folders are the account's: a member files recordings of their own in them, and does not change them.
  "folders.list": "member",
  "folders.read": "member",
  "folders.recordings": "member",
  "folders.create": "admin",
  "folders.rename": "admin",
  "folders.delete": "admin",
  "recordings.create": "member",
  "recordings.upload": "member",
  "recordings.move": "member",
  "recordings.leave": "member",
  "recordings.delete": "member",
  "recordings.sharing": "member",
  "recordings.share": "member",
  "recordings.create_link": "member",
  "recordings.revoke_link": "member",
  "recordings.trim": "member",
  "recordings.untrim": "member",
  "recordings.log": "member",
  "recordings.log_har": "member",
  "recordings.import_log": "member",
  "capture_links.list": "member",
  "capture_links.create": "member",
  "capture_links.read": "member",
  "capture_links.update": "member",
  "capture_links.revoke": "member",
  "captures.begin": "member",
  "sites.list": "admin",
  "sites.create": "admin",
  "sites.read": "admin",
  "sites.update": "admin",
  "sites.delete": "admin",
  "transcripts.edit": "member",
  "transcripts.import": "member",
  "transcripts.request": "member",
  "automations.list": "admin",
  "automations.create": "admin",
  "automations.read": "admin",
  "automations.update": "admin",
  "automations.delete": "admin",
  "automations.view_secret": "admin",
  "automations.rotate_secret": "admin",
  "automations.test": "admin",
  "automations.deliveries": "admin",
  "automations.delivery": "admin",
  "automations.redeliver": "admin",
  "automations.explain": "admin",
  "audit_destinations.list": "admin",
  "audit_destinations.create": "admin",
  "audit_destinations.read": "admin",
  "audit_destinations.update": "admin",
  "audit_destinations.delete": "admin",
  "audit_destinations.view_secret": "admin",
  "audit_destinations.rotate_secret": "admin",
  "audit_destinations.remove_secret": "admin",
  "audit_destinations.test": "admin",
  "audit_destinations.deliveries": "admin",
  "audit_destinations.delivery": "admin",
  "audit_destinations.redeliver": "admin",
  "audit_destinations.explain": "admin",
  "deliveries.list": "admin",
  "deliveries.read": "admin",
  "deliveries.explain": "admin",
  "deliveries.cancel": "admin",
  "statistics.read": "admin",
  "redeliveries.list": "admin",
  "redeliveries.create": "admin",
  "redeliveries.read": "admin",
  "redeliveries.stop": "admin",
  "events.stream": "member",
  "audit_entries.list": "admin",
  "audit_entries.read": "admin",
  "audit_entries.chain": "admin",
  "profile.read": "member",
  "profile.update": "member",
  "profile.picture": "member",
  "profile.set_picture": "member",
  "profile.remove_picture": "member",
  "users.invite": "admin",
  "users.read": "admin",
  "users.update": "admin",
  "users.picture": "admin",
  "users.set_picture": "admin",
  "users.remove_picture": "admin",
  "users.deactivate": "admin",
  "users.reactivate": "admin",
  "users.password_link": "admin_session",
  "users.sessions": "admin",
  "users.end_sessions": "admin_session",
  "account.read": "admin",
  "account.update": "admin",
  "account.set_api_access": "admin_session",
  "tokens.list": "session",
  "tokens.create": "session",
  "tokens.view": "session",
  "tokens.rename": "session",
  "tokens.revoke": "session",
  "sessions.list": "session",
  "sessions.current": "session",
  "sessions.end": "session",
  "sessions.end_others": "session",
  "sessions.sign_out": "session",
  "sessions.change_password": "session"
} as const satisfies Readonly<Record<string, "member" | "admin" | "session" | "admin_session">>

export type Operation = keyof typeof operations

/** Whether the caller sees the recording. */
export const mayRead = (caller: Caller, recording: Recording): boolean => mayReadAs(caller.user, recording)

/**
 * Lets the caller through to the operation, or says why not, in R1's order: API access first, then the role.
 * A refusal is an audit entry (`access.denied`, A4), at most one an hour for the same caller and operation (A8).
 */
export const authorize = (
  caller: Caller,
  operation: Operation
): Effect.Effect<void, ApiAccessDisabled | Forbidden | SessionRequired, AuditLog> => {
  const needed = operations[operation]
  if (!caller.account.apiAccess && caller.kind === "access") return denied(caller, operation, new ApiAccessDisabled())
  if ((needed === "session" || needed === "admin_session") && caller.kind !== "session") {
    return denied(caller, operation, new SessionRequired({ operation }))
  }
  if ((needed === "admin" || needed === "admin_session") && caller.user.role !== "admin") {
    return denied(caller, operation, new Forbidden({ operation }))
  }
  return Effect.void
}

const denied = Effect.fnUntraced(function* <E>(caller: Caller, operation: Operation, refusal: E) {
  const audit = yield* AuditLog
  yield* audit.recordDenial({
    accountId: caller.account.id,
    user: caller.user,
    operation,
    target: { type: "operation", id: operation }
  })
  return yield* Effect.fail(refusal)
})
