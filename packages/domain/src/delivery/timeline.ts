import type { Instant } from "../time.ts"
import type { RetrySchedule } from "./schedule.ts"
import { decideDelivery, nextAttemptAt } from "./state.ts"
import type { DeliveryState } from "./stateSchema.ts"

/** Outcome and duration of an attempt. */
export interface TimedOutcome {
  readonly isSuccess: boolean
  readonly durationMs: number
}

/** An attempt in a timeline, which was made or is due. */
export interface TimelineAttempt {
  /** Number of the attempt, counted from 1. */
  readonly attempt: number
  readonly at: Instant
  /** True if the attempt succeeded; null if it has not ended. */
  readonly isSuccess: boolean | null
}

export interface Timeline {
  readonly attempts: ReadonlyArray<TimelineAttempt>
  readonly state: DeliveryState
}

/**
 * Returns the attempts of a delivery that is due at `startAt`, each at its due instant: the attempts of `outcomes`, and those that
 * follow if all later attempts fail at once. Outcomes after the end are ignored. `state` is the state after `outcomes`.
 */
export const timelineOf = (
  schedule: RetrySchedule,
  outcomes: ReadonlyArray<TimedOutcome>,
  startAt: Instant
): Timeline => {
  const attempts: Array<TimelineAttempt> = []
  let state: DeliveryState = { _tag: "Scheduled", dueAt: startAt }
  let known: DeliveryState = state
  for (let at = nextAttemptAt(state); at !== null; at = nextAttemptAt(state)) {
    const outcome = outcomes[attempts.length]
    const endedAt = (at + (outcome?.durationMs ?? 0)) as Instant
    attempts.push({ attempt: attempts.length + 1, at, isSuccess: outcome?.isSuccess ?? null })
    state = after(
      after(state, "AttemptStarted", at, schedule),
      outcome?.isSuccess ? "AttemptSucceeded" : "AttemptFailed",
      endedAt,
      schedule
    )
    if (outcome !== undefined) known = state
  }
  return { attempts, state: known }
}

type Ended = "AttemptStarted" | "AttemptSucceeded" | "AttemptFailed"

const after = (state: DeliveryState, _tag: Ended, at: Instant, schedule: RetrySchedule): DeliveryState => {
  const decision = decideDelivery(state, { _tag, at }, schedule)
  if (decision._tag === "Failure") throw decision.failure
  return decision.success
}
