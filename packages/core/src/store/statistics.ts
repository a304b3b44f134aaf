import type { AccountId, Instant } from "@tapedeck/domain"
import type { CountedReceiver, ReceiverHealth } from "@tapedeck/domain/internal/delivery"
import type { Effect } from "effect"

export interface StatisticsFilter {
  readonly accountId: AccountId
  readonly receiver?: CountedReceiver
  /** First hour, inclusive; `until` is exclusive. */
  readonly since: Instant
  readonly until: Instant
}

/** Number of attempts of a measure (domain, `AttemptTally`) that ended in an hour. */
export type HourCount = readonly [hour: Instant, measure: number, attempts: number]

/** The same of a receiver in a whole period. */
export type ReceiverCount = readonly [receiver: CountedReceiver, measure: number, attempts: number]

/** Counters of attempts, which `deliveries.settle` keeps in its transaction. */
export interface StatisticsRepository {
  /** Returns the counts in the order of the hours. */
  readonly byHour: (filter: StatisticsFilter) => Effect.Effect<ReadonlyArray<HourCount>>
  readonly byReceiver: (filter: StatisticsFilter) => Effect.Effect<ReadonlyArray<ReceiverCount>>
  /** Returns the health of the account's receivers that had attempts; with `receiver`, of this receiver only. */
  readonly health: (
    accountId: AccountId,
    receiver?: CountedReceiver
  ) => Effect.Effect<ReadonlyMap<CountedReceiver, ReceiverHealth>>
  /** Removes an account's counters of the hours before this one, and the health of receivers without attempts since. */
  readonly prune: (accountId: AccountId, before: Instant) => Effect.Effect<void>
}
