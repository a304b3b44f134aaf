import { type AnyDelivery, deliveryStateName } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import type { Dispatcher, PerformedAttempt } from "../Dispatcher.ts"

/** Returns the fields of an ended attempt for logs. The URL and the headers, which may contain secrets, are not among them. */
const fieldsOf = ({ attempt, delivery, outcome, statusCode }: PerformedAttempt<AnyDelivery>) => {
  const ended = delivery.attempts.at(-1)
  return {
    delivery_id: delivery.id,
    attempt,
    outcome,
    status: statusCode,
    ...(ended !== undefined && { duration_ms: ended.endedAt - ended.at, error: ended.error }),
    state: deliveryStateName(delivery.state)
  }
}

/** Writes a line about an ended attempt to the log. */
export const logAttempt = (attempt: PerformedAttempt<AnyDelivery>): Effect.Effect<void> =>
  attempt.outcome === "success"
    ? Effect.logDebug("attempt succeeded", fieldsOf(attempt))
    : Effect.logInfo("attempt failed", fieldsOf(attempt))

/** Returns a dispatcher that reports each recorded attempt. A defect of the report is logged: the outcome is recorded. */
export const reporting = <D extends AnyDelivery>(
  { perform, queue }: Dispatcher<D>,
  onAttempt: (attempt: PerformedAttempt<D>) => Effect.Effect<void>
): Dispatcher<D> => ({
  queue,
  perform: (claim, slot) =>
    Effect.tap(perform(claim, slot), (attempt) =>
      attempt === null || attempt.outcome === null
        ? Effect.void
        : Effect.catchCause(
            Effect.suspend(() => onAttempt(attempt)),
            (cause) => Effect.logError("onAttempt failed", { delivery_id: attempt.delivery.id }, cause)
          )
    )
})
