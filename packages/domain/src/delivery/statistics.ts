import * as Schema from "effect/Schema"
import type { AccountId } from "../ids.ts"
import { Instant } from "../time.ts"
import type { Delivery } from "./Delivery.ts"

const hourMs = 3_600_000

/** What became of a delivery with an attempt: a failed one is retried, or the last. */
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

/** `a:` and the id of an automation, or `d:` and that of an audit destination. */
export type CountedReceiver = `a:${string}` | `d:${string}`

export const countedReceiver = ({
  automationId,
  destinationId
}: Pick<Delivery, "automationId" | "destinationId">): CountedReceiver =>
  automationId === null ? `d:${destinationId}` : `a:${automationId}`

/** What one attempt adds to the counters of its receiver. */
export interface AttemptTally {
  readonly accountId: AccountId
  readonly receiver: CountedReceiver
  /** When it ended, and the hour of that. */
  readonly at: Instant
  readonly hour: Instant
  /** Its result and the bucket of its duration, as one number. */
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

/** Undefined if the settlement adds no attempt, and for a send-test. `before`: the number of attempts before it. */
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

/** Counted attempts, and estimates of their durations in milliseconds; null without any that is known. */
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

/** Interpolates within the bucket that has the percentile; the last bucket gives its lower bound. */
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

/** How a receiver's latest attempts ended. */
export const ReceiverHealth = Schema.Struct({
  lastSuccessAt: Schema.NullOr(Instant),
  /** When the first attempt after the last success failed; null if none has. */
  failingSince: Schema.NullOr(Instant),
  failedInARow: Schema.Natural
})
export type ReceiverHealth = typeof ReceiverHealth.Type

export const unknownHealth: ReceiverHealth = { lastSuccessAt: null, failingSince: null, failedInARow: 0 }

/** The health after an attempt. */
export const healthAfter = (before: ReceiverHealth, { at, isSuccess }: AttemptTally): ReceiverHealth =>
  isSuccess
    ? { lastSuccessAt: at, failingSince: null, failedInARow: 0 }
    : { ...before, failingSince: before.failingSince ?? at, failedInARow: before.failedInARow + 1 }
