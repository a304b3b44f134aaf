import type { Instant } from "@tapedeck/domain"
import {
  type AttemptStatistics,
  attemptStatistics,
  type CountedReceiver,
  type ReceiverHealth
} from "@tapedeck/domain/internal/delivery"
import { Context, Effect, Layer } from "effect"
import { InputMalformed } from "../errors.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { storeOf } from "../store/Store.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Maximum length of a period, by the length of its intervals. */
const maxPeriodMs = { hour: 31 * dayMs, day: 90 * dayMs }

/** Maximum number of receivers of an answer: those with the most attempts. */
const maxReceivers = 100

export interface StatisticsOptions {
  readonly receiver?: CountedReceiver
  readonly interval: "hour" | "day"
  /** Default: a day before `until`. */
  readonly since?: Instant
  /** Default: now. */
  readonly until?: Instant
}

/** Attempts of a period. It begins with the interval that has `since`, and ends with the one that has the last instant. */
export interface PeriodStatistics {
  readonly since: Instant
  readonly until: Instant
  /** Intervals of the period, in order. */
  readonly intervals: ReadonlyArray<AttemptStatistics & { readonly at: Instant }>
  /** Statistics by receiver, in descending order of attempts. */
  readonly receivers: ReadonlyArray<AttemptStatistics & { readonly receiver: CountedReceiver }>
}

/** Attempts by result and duration, from counters that are kept with each attempt: no delivery is read. */
export class Statistics extends Context.Service<
  Statistics,
  {
    /** `InputMalformed` for a period that is too long or empty: at most 31 days by hour, and 90 by day. */
    readonly read: (caller: Caller, options: StatisticsOptions) => Effect.Effect<PeriodStatistics, InputMalformed>
    /** Returns how the latest attempts of the account's receivers ended; with `receiver`, those of this receiver only. */
    readonly health: (
      caller: Caller,
      receiver?: CountedReceiver
    ) => Effect.Effect<ReadonlyMap<CountedReceiver, ReceiverHealth>>
  }
>()("@tapedeck/core/Statistics") {
  static readonly layer = Layer.effect(
    Statistics,
    Effect.gen(function* () {
      const { statistics } = yield* storeOf("statistics")

      const read = Effect.fn("Statistics.read")(function* (caller: Caller, options: StatisticsOptions) {
        const { interval, receiver } = options
        const lengthMs = interval === "hour" ? hourMs : dayMs
        const floor = (ms: number) => (Math.floor(ms / lengthMs) * lengthMs) as Instant
        const last = options.until ?? (yield* now)
        const since = floor(options.since ?? last - dayMs)
        const until = (floor(last - 1) + lengthMs) as Instant
        if (until <= since) return yield* new InputMalformed({ reason: "until must be after since" })
        if (until - since > maxPeriodMs[interval] + lengthMs) {
          const days = maxPeriodMs[interval] / dayMs
          return yield* new InputMalformed({
            reason: `since and until must be at most ${days} days apart by ${interval}`
          })
        }
        const filter = { accountId: caller.account.id, since, until, ...(receiver !== undefined && { receiver }) }
        const ofIntervals = grouped(
          (yield* statistics.byHour(filter)).map(([hour, ...count]) => [floor(hour), count] as const)
        )
        const ofReceivers = grouped(
          (yield* statistics.byReceiver(filter)).map(([one, ...count]) => [one, count] as const)
        )
        const starts = Array.from({ length: (until - since) / lengthMs }, (_, n) => (since + n * lengthMs) as Instant)
        const receivers = [...ofReceivers]
          .map(([one, counts]) => ({ receiver: one, ...attemptStatistics(counts) }))
          .sort((a, b) => attemptsOf(b) - attemptsOf(a) || (a.receiver < b.receiver ? -1 : 1))
          .slice(0, maxReceivers)
        const intervals = starts.map((at) => ({ at, ...attemptStatistics(ofIntervals.get(at) ?? []) }))
        return { since, until, intervals, receivers }
      })

      return Statistics.of({
        read,
        health: (caller, receiver) => statistics.health(caller.account.id, receiver)
      })
    })
  )
}

type Count = readonly [measure: number, attempts: number]

const grouped = <Key>(counts: ReadonlyArray<readonly [Key, Count]>): Map<Key, Array<Count>> => {
  const groups = new Map<Key, Array<Count>>()
  for (const [key, count] of counts) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [count])
    else group.push(count)
  }
  return groups
}

const attemptsOf = ({ counts }: AttemptStatistics): number =>
  Object.values(counts).reduce((sum, attempts) => sum + attempts, 0)
