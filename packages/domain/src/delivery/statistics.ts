import * as Schema from "effect/Schema"
import type { AccountId } from "../ids.ts"
import { Instant } from "../time.ts"
import type { Delivery } from "./Delivery.ts"

const hourMs = 3_600_000

/** Result of an attempt for its delivery: delivered, to be retried, permanently failed, or cancelled. */
export const AttemptResultName = Schema.Literals(["delivered", "retried", "permanently_failed", "cancelled"])
export type AttemptResultName = typeof AttemptResultName.Type

const results = AttemptResultName.literals

/** Upper bounds of the histogram of durations, in milliseconds; the last bucket has none. */
const bounds = [
  0, 1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000,
  15_000, 20_000, 30_000, 60_000, 120_000, 300_000
]

/** The bucket of attempts whose duration is not known. */
const unknownBucket = bounds.length + 1

const bucketOf = (ms: number): number => {
  const bucket = bounds.findIndex((bound) => ms <= bound)
  return bucket === -1 ? bounds.length : bucket
}

/** Key of a receiver: `a:` and the id of an automation, or `d:` and the id of an audit destination. */
export type CountedReceiver = `a:${string}` | `d:${string}`

export const countedReceiver = ({
  automationId,
  destinationId
}: Pick<Delivery, "automationId" | "destinationId">): CountedReceiver =>
  automationId === null ? `d:${destinationId}` : `a:${automationId}`

/** Contribution of one attempt to the counters of its receiver. */
export interface AttemptTally {
  readonly accountId: AccountId
  readonly receiver: CountedReceiver
  /** Time of the attempt's end, and the hour of that time. */
  readonly at: Instant
  readonly hour: Instant
  /** Result of the attempt and bucket of its duration, as one number. */
  readonly measure: number
  readonly isSuccess: boolean
}

const bucketsPerResult = 100

const resultOf: Readonly<Record<string, AttemptResultName>> = {
  Delivered: "delivered",
  Waiting: "retried",
  PermanentlyFailed: "permanently_failed",
  Cancelled: "cancelled"
}

/** Returns the tally of the attempt that a settlement added; undefined for none, and for send-tests. `before` is the number of attempts before the settlement. */
export const tallyOf = (delivery: Delivery, before: number): AttemptTally | undefined => {
  const attempt = delivery.attempts[before]
  const result = resultOf[delivery.state._tag]
  if (attempt === undefined || result === undefined || delivery.test) return undefined
  const bucket = attempt.outcome === "lost" ? unknownBucket : bucketOf(attempt.endedAt - attempt.at)
  return {
    accountId: delivery.accountId,
    receiver: countedReceiver(delivery),
    at: attempt.endedAt,
    hour: (Math.floor(attempt.endedAt / hourMs) * hourMs) as Instant,
    measure: results.indexOf(result) * bucketsPerResult + bucket,
    isSuccess: attempt.outcome === "success"
  }
}

/** Counted attempts, and estimates of their durations in milliseconds; null if no duration is known. */
export interface AttemptStatistics {
  readonly counts: Readonly<Record<AttemptResultName, number>>
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** Sums counters, which are pairs of a measure and a number. */
export const attemptStatistics = (
  counted: Iterable<readonly [measure: number, attempts: number]>
): AttemptStatistics => {
  const counts = { delivered: 0, retried: 0, permanently_failed: 0, cancelled: 0 }
  const buckets = new Array<number>(bounds.length + 1).fill(0)
  for (const [measure, attempts] of counted) {
    const result = results[Math.floor(measure / bucketsPerResult)]
    if (result !== undefined) counts[result] += attempts
    const bucket = measure % bucketsPerResult
    if (bucket < buckets.length) buckets[bucket]! += attempts
  }
  return { counts, p50Ms: percentile(buckets, 0.5), p95Ms: percentile(buckets, 0.95) }
}

/** Interpolates within the bucket that contains the percentile; returns the lower bound of the last bucket. */
const percentile = (buckets: ReadonlyArray<number>, share: number): number | null => {
  const total = buckets.reduce((sum, one) => sum + one, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [bucket, attempts] of buckets.entries()) {
    if (below + attempts >= rank && attempts > 0) {
      const low = bounds[bucket - 1] ?? 0
      const high = bounds[bucket] ?? low
      return Math.round(low + ((high - low) * (rank - below)) / attempts)
    }
    below += attempts
  }
  return null
}

/** Results of a receiver's latest attempts. */
export const ReceiverHealth = Schema.Struct({
  lastSuccessAt: Schema.NullOr(Instant),
  /** Time of the first failure after the last success; null if there is none. */
  failingSince: Schema.NullOr(Instant),
  failedInARow: Schema.Natural
})
export type ReceiverHealth = typeof ReceiverHealth.Type

export const unknownHealth: ReceiverHealth = { lastSuccessAt: null, failingSince: null, failedInARow: 0 }

/** Returns the health after an attempt. */
export const healthAfter = (before: ReceiverHealth, { at, isSuccess }: AttemptTally): ReceiverHealth =>
  isSuccess
    ? { lastSuccessAt: at, failingSince: null, failedInARow: 0 }
    : { ...before, failingSince: before.failingSince ?? at, failedInARow: before.failedInARow + 1 }
