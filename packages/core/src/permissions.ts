import type { Recording } from "@tapedeck/domain"
import { Effect } from "effect"
import { AuditLog } from "./AuditLog.ts"
import type { Caller } from "./Caller.ts"
import { ApiAccessDisabled, Forbidden } from "./errors.ts"

/** Who may do what, in one place. `member` means every signed-in user of the account, on what they may see. */
export const operations = {
  "recordings.list": "member",
  "recordings.read": "member",
  "recordings.update": "admin",
  "recordings.download": "member",
  "transcripts.read": "member",
  "users.list": "admin",
  "users.search": "admin"
} as const

export type Operation = keyof typeof operations

/** General rules, 6: a member sees their own recordings, an admin all of the account. */
export const mayRead = (caller: Caller, recording: Recording): boolean =>
  recording.accountId === caller.account.id && (caller.user.role === "admin" || recording.ownerId === caller.user.id)

/**
 * Lets the caller through to the operation, or says why not, in R1's order: API access first, then the role.
 * A refusal is an audit entry (`access.denied`, A4).
 */
export const authorize = (
  caller: Caller,
  operation: Operation
): Effect.Effect<void, ApiAccessDisabled | Forbidden, AuditLog> => {
  if (!caller.account.apiAccess && caller.kind === "access") return denied(caller, operation, new ApiAccessDisabled())
  if (operations[operation] === "admin" && caller.user.role !== "admin") {
    return denied(caller, operation, new Forbidden({ operation }))
  }
  return Effect.void
}

const denied = Effect.fnUntraced(function* <E>(caller: Caller, operation: Operation, refusal: E) {
  const audit = yield* AuditLog
  yield* audit.record({
    accountId: caller.account.id,
    eventType: "access.denied",
    status: "failure",
    user: caller.user,
    target: { type: "operation", id: operation }
  })
  return yield* Effect.fail(refusal)
})
