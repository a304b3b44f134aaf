import { Effect, Metric } from "effect"

/** Bounds in seconds: from a HEAD in the same building to a part of an upload that is retried. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const s3Durations = (outcome: "success" | "failure") =>
  Metric.histogram("tapedeck_s3_request_duration_seconds", {
    description: "Time of a request to the bucket with its retries, to the head of the response",
    attributes: { outcome },
    boundaries
  })

const durations = { success: s3Durations("success"), failure: s3Durations("failure") }

/** Measures a request to S3. One that its caller gave up is not counted. */
export const measureS3 = <A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const measured = (outcome: keyof typeof durations) =>
      Metric.update(durations[outcome], (performance.now() - startedAt) / 1_000)
    return Effect.tapError(
      Effect.tap(request, () => measured("success")),
      () => measured("failure")
    )
  })

const failedRemovals = Metric.counter("tapedeck_file_removals_failed_total", {
  description: "Removals of unused files, and searches for them, that failed; they are repeated",
  incremental: true
})

export const countFailedRemoval = Metric.update(failedRemovals, 1)

/** Shows the counter as 0: Prometheus sees no increase of a counter whose first value is 1. */
export const startFailedRemovals = Metric.update(failedRemovals, 0)

/** Reason why a transaction ended without its commit. */
export type TransactionEnd = "conflict" | "disconnection" | "timeout"

const endedBy = (reason: TransactionEnd) =>
  Metric.counter("tapedeck_transactions_ended_total", {
    description: "Transactions that PostgreSQL ended, or did not answer in time",
    attributes: { reason },
    incremental: true
  })

const ended = { conflict: endedBy("conflict"), disconnection: endedBy("disconnection"), timeout: endedBy("timeout") }

export const countEndedTransaction = (reason: TransactionEnd) => Metric.update(ended[reason], 1)

/** Shows the counter of each reason as 0. */
export const startEndedTransactions = Effect.forEach(Object.values(ended), (counter) => Metric.update(counter, 0), {
  discard: true
})
