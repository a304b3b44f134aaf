import { declareCounter, declareGauge, declareHistogram } from "@tapedeck/core"
import { Effect, Metric } from "effect"

/** Bounds in seconds: from a HEAD in the same building to a part of an upload that is retried. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const s3Durations = declareHistogram(
  "tapedeck_s3_request_duration_seconds",
  "Duration of requests to the bucket with their retries, until the head of the response",
  { outcome: ["success", "failure"] },
  boundaries
)

/** Measures a request to S3. One that its caller gave up is not counted. */
export const measureS3 = <A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const measured = (outcome: "success" | "failure") =>
      Metric.update(s3Durations.of({ outcome }), (performance.now() - startedAt) / 1_000)
    return Effect.tapError(
      Effect.tap(request, () => measured("success")),
      () => measured("failure")
    )
  })

const failedRemovals = declareCounter(
  "tapedeck_file_removals_failed_total",
  "Failed removals of unused files, and searches for them; they are retried",
  {}
)

export const countFailedRemoval = Metric.update(failedRemovals.of({}), 1)

/** Reasons why a transaction ended without its commit. */
const transactionEnds = ["conflict", "disconnection", "timeout"] as const
export type TransactionEnd = (typeof transactionEnds)[number]

const endedTransactions = declareCounter(
  "tapedeck_transactions_ended_total",
  "Transactions that PostgreSQL ended (after a `conflict` they run again), or did not answer within 10 s (`timeout`)",
  { reason: transactionEnds }
)

export const countEndedTransaction = (reason: TransactionEnd) => Metric.update(endedTransactions.of({ reason }), 1)

export const connectionsInUse = declareGauge(
  "tapedeck_database_connections_in_use",
  "Connections to PostgreSQL that run a statement or a transaction",
  {}
)

export const maxConnections = declareGauge(
  "tapedeck_database_connections_max",
  "Maximum number of connections to PostgreSQL (`TAPEDECK_DATABASE_CONNECTIONS`)",
  {}
)

export const waitingForConnection = declareGauge(
  "tapedeck_database_requests_waiting",
  "Statements and transactions that wait for a connection to PostgreSQL",
  {}
)

export const storageMetrics = [
  s3Durations,
  failedRemovals,
  endedTransactions,
  connectionsInUse,
  maxConnections,
  waitingForConnection
]
