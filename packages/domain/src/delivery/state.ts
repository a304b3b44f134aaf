import * as Result from "effect/Result"
import type { Instant } from "../time.ts"
import type { RetrySchedule } from "./schedule.ts"
import type { DeliveryEvent, DeliveryState, DeliveryStateName } from "./stateSchema.ts"

/** An event that is impossible in the state of the delivery. */
export class ImpossibleDeliveryMove extends Error {
  readonly _tag = "ImpossibleDeliveryMove"
  readonly state: DeliveryState["_tag"]
  readonly event: DeliveryEvent["_tag"]

  constructor(state: DeliveryState["_tag"], event: DeliveryEvent["_tag"]) {
    super(`A delivery that is ${state} cannot move on ${event}`)
    this.name = "ImpossibleDeliveryMove"
    this.state = state
    this.event = event
  }
}

type Decision = Result.Result<DeliveryState, ImpossibleDeliveryMove>
type In<Tag extends DeliveryState["_tag"]> = Extract<DeliveryState, { readonly _tag: Tag }>

/**
 * Returns the state after `event`, or a refusal. `schedule` has the delays of the retries, so a delivery makes at most
 * 1 + `schedule.length` attempts. A repeated cancellation returns the same object.
 */
export const decideDelivery = (state: DeliveryState, event: DeliveryEvent, schedule: RetrySchedule): Decision => {
  switch (state._tag) {
    case "Scheduled":
      if (event._tag === "AttemptStarted") return attempting(1, event.at, event.at)
      if (event._tag === "CancelRequested") return Result.succeed({ _tag: "Cancelled", at: event.at })
      return impossible(state, event)
    case "Waiting":
      if (event._tag === "AttemptStarted") return attempting(state.retry + 1, event.at, state.firstAttemptAt)
      if (event._tag === "CancelRequested") return Result.succeed({ _tag: "Cancelled", at: event.at })
      return impossible(state, event)
    case "Attempting":
      return decideAttempting(state, event, schedule)
    case "Cancelled":
      return event._tag === "CancelRequested" ? Result.succeed(state) : impossible(state, event)
    case "Delivered":
    case "PermanentlyFailed":
    case "Skipped":
      return impossible(state, event)
  }
}

const decideAttempting = (state: In<"Attempting">, event: DeliveryEvent, schedule: RetrySchedule): Decision => {
  switch (event._tag) {
    case "AttemptSucceeded":
      return Result.succeed({ _tag: "Delivered", at: event.at })
    case "AttemptFailed":
      return Result.succeed(afterFailure(state, event.at, schedule))
    case "AttemptGivenBack":
      return Result.succeed(beforeAttempt(state, event.at))
    case "CancelRequested":
      return Result.succeed(state.cancelRequested ? state : { ...state, cancelRequested: true })
    case "AttemptStarted":
      return impossible(state, event)
  }
}

/** Returns the state after a failure. A retry is due its delay after the start of the previous attempt, but never before that attempt's end. */
const afterFailure = (state: In<"Attempting">, endedAt: Instant, schedule: RetrySchedule): DeliveryState => {
  if (state.cancelRequested) return { _tag: "Cancelled", at: endedAt }
  const delayMs = schedule[state.attempt - 1]
  if (delayMs === undefined) return { _tag: "PermanentlyFailed", at: endedAt }
  const dueAt = Math.max(endedAt, state.startedAt + delayMs) as Instant
  return { _tag: "Waiting", retry: state.attempt, dueAt, firstAttemptAt: state.firstAttemptAt }
}

/** Returns the state before the attempt. The delivery was due at its claim at the latest, and keeps its place before deliveries that became due later. */
const beforeAttempt = (state: In<"Attempting">, at: Instant): DeliveryState => {
  const { attempt, cancelRequested, firstAttemptAt, startedAt: dueAt } = state
  if (cancelRequested) return { _tag: "Cancelled", at }
  return attempt === 1 ? { _tag: "Scheduled", dueAt } : { _tag: "Waiting", retry: attempt - 1, dueAt, firstAttemptAt }
}

const attempting = (attempt: number, startedAt: Instant, firstAttemptAt: Instant): Decision =>
  Result.succeed({ _tag: "Attempting", attempt, startedAt, firstAttemptAt, cancelRequested: false })

const impossible = (state: DeliveryState, event: DeliveryEvent): Decision =>
  Result.fail(new ImpossibleDeliveryMove(state._tag, event._tag))

/** Returns the instant at which the next attempt is due; null while an attempt is in flight, and in final states. */
export const nextAttemptAt = (state: DeliveryState): Instant | null =>
  state._tag === "Scheduled" || state._tag === "Waiting" ? state.dueAt : null

const stateNames = {
  Scheduled: "scheduled",
  Attempting: "attempting",
  Waiting: "waiting",
  Delivered: "delivered",
  PermanentlyFailed: "permanently_failed",
  Cancelled: "cancelled",
  Skipped: "skipped"
} as const satisfies Readonly<Record<DeliveryState["_tag"], DeliveryStateName>>

export const deliveryStateName = (state: Pick<DeliveryState, "_tag">): DeliveryStateName => stateNames[state._tag]

const tags = new Map(Object.entries(stateNames).map(([tag, name]) => [name, tag as DeliveryState["_tag"]]))

/** Returns the state for its name on the wire. */
export const deliveryStateTag = (name: DeliveryStateName): DeliveryState["_tag"] => tags.get(name)!

/** Returns whether the state is final. A final state permits only a repeated cancellation. */
export const isFinalState = (state: Pick<DeliveryState, "_tag">): boolean =>
  state._tag === "Delivered" ||
  state._tag === "PermanentlyFailed" ||
  state._tag === "Cancelled" ||
  state._tag === "Skipped"
