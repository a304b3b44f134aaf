import * as Schema from "effect/Schema"
import { Instant } from "../time.ts"

const attemptNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** The first attempt is scheduled. */
const Scheduled = Schema.TaggedStruct("Scheduled", { dueAt: Instant })

/** An attempt is in flight. A cancellation during the attempt takes effect with its outcome. */
const Attempting = Schema.TaggedStruct("Attempting", {
  attempt: attemptNumber,
  startedAt: Instant,
  firstAttemptAt: Instant,
  cancelRequested: Schema.Boolean
})

/** The delivery waits for a retry. */
const Waiting = Schema.TaggedStruct("Waiting", { retry: attemptNumber, dueAt: Instant, firstAttemptAt: Instant })

const Delivered = Schema.TaggedStruct("Delivered", { at: Instant })
const PermanentlyFailed = Schema.TaggedStruct("PermanentlyFailed", { at: Instant })
const Cancelled = Schema.TaggedStruct("Cancelled", { at: Instant })
/** The delivery was never due: a condition of its automation did not hold, or a variable of its URL was missing (`Delivery.skipped`). */
const Skipped = Schema.TaggedStruct("Skipped", { at: Instant })

/** The states of a delivery. */
export const DeliveryState = Schema.Union([
  Scheduled,
  Attempting,
  Waiting,
  Delivered,
  PermanentlyFailed,
  Cancelled,
  Skipped
])
export type DeliveryState = typeof DeliveryState.Type

/**
 * Events of a delivery. `AttemptGivenBack`: the worker sent nothing, so there was no attempt, and the delivery is due as before.
 * `CancelRequested`: the automation or destination was disabled or deleted.
 */
export const DeliveryEvent = Schema.Union([
  Schema.TaggedStruct("AttemptStarted", { at: Instant }),
  Schema.TaggedStruct("AttemptSucceeded", { at: Instant }),
  Schema.TaggedStruct("AttemptFailed", { at: Instant }),
  Schema.TaggedStruct("AttemptGivenBack", { at: Instant }),
  Schema.TaggedStruct("CancelRequested", { at: Instant })
])
export type DeliveryEvent = typeof DeliveryEvent.Type

/** Names of the states on the wire (`state`). */
export const DeliveryStateName = Schema.Literals([
  "scheduled",
  "attempting",
  "waiting",
  "delivered",
  "permanently_failed",
  "cancelled",
  "skipped"
])
export type DeliveryStateName = typeof DeliveryStateName.Type
