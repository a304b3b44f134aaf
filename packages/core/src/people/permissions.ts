import type { Recording } from "@tapedeck/domain"
import type { Operation } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { ApiAccessDisabled, Forbidden, SessionRequired } from "../errors.ts"
import { mayReadAs } from "../recordings/visibility.ts"
import type { Caller } from "./Caller.ts"

/** Returns whether the caller may read the recording. */
export const mayRead = (caller: Caller, recording: Recording): boolean => mayReadAs(caller.user, recording)

/**
 * Permits the operation, or fails with the reason, in R1's order: API access first, then the role. A refusal is an audit entry
 * (`access.denied`, A4), at most one an hour for the same caller and operation (A8).
 */
export const authorize = (
  caller: Caller,
  operation: Operation
): Effect.Effect<void, ApiAccessDisabled | Forbidden | SessionRequired, AuditLog> => {
  const { id, permission } = operation
  if (!caller.account.apiAccess && caller.kind === "access") return denied(caller, operation, new ApiAccessDisabled())
  if ((permission === "session" || permission === "admin_session") && caller.kind !== "session") {
    return denied(caller, operation, new SessionRequired({ operation: id }))
  }
  if ((permission === "admin" || permission === "admin_session") && caller.user.role !== "admin") {
    return denied(caller, operation, new Forbidden({ operation: id }))
  }
  return Effect.void
}

const denied = Effect.fnUntraced(function* <E>(caller: Caller, { id }: Operation, refusal: E) {
  const audit = yield* AuditLog
  yield* audit.recordDenial({
    accountId: caller.account.id,
    user: caller.user,
    operation: id,
    target: { type: "operation", id }
  })
  return yield* Effect.fail(refusal)
})
