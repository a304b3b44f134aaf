import { Effect } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { expect, test } from "vitest"
import { request } from "../src/files/s3/Bucket.ts"
import { countEndedTransaction, countFailedRemoval } from "../src/metrics.ts"

test("requests to S3 are measured by outcome, and failed removals and ended transactions are counted", async () => {
  const program = Effect.gen(function* () {
    yield* request(() => Promise.resolve(1))
    yield* Effect.ignore(request(() => Promise.reject(new Error("down"))))
    yield* countFailedRemoval
    yield* countEndedTransaction("timeout")
    return formatUnsafe(yield* Effect.context<never>())
  })
  const text = await Effect.runPromise(program)
  for (const line of [
    'tapedeck_s3_request_duration_seconds_count{outcome="success"} 1',
    'tapedeck_s3_request_duration_seconds_count{outcome="failure"} 1',
    "tapedeck_file_removals_failed_total 1",
    'tapedeck_transactions_ended_total{reason="timeout"} 1'
  ]) {
    expect(text).toContain(line)
  }
})
