import type { Instant } from "../time.ts"
import type { RetrySchedule } from "./schedule.ts"
import { decideDelivery, nextAttemptAt } from "./state.ts"
import type { DeliveryState } from "./stateSchema.ts"

/** How an attempt ended, and how long it took. */
export interface TimedOutcome {
  readonly isSuccess: boolean
  readonly durationMs: number
}

/** An attempt that was made, or that is due. */
export interface TimelineAttempt {
  /** From 1 on. */
  readonly attempt: number
  readonly at: Instant
  /** Null: it has not ended. */
  readonly isSuccess: boolean | null
}

export interface Timeline {
  readonly attempts: ReadonlyArray<TimelineAttempt>
  readonly state: DeliveryState
}

/**
 * The attempts of a delivery that is due at `startAt`, each at the instant it is due: those of `outcomes`, and all that follow if
 * these fail at once. Outcomes after the end are ignored. `state` is that after `outcomes`.
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
