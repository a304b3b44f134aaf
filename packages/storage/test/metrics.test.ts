import { Effect } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { expect, test } from "vitest"
import { request } from "../src/files/s3/Bucket.ts"
import { countEndedTransaction, countFailedRemoval } from "../src/metrics.ts"

/** The value of a line of metrics, which other tests of the process count up too. */
const valueOf = (text: string, name: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1) ?? 0
  )

test("requests to S3 are measured by outcome, and failed removals and ended transactions are counted", async () => {
  const metrics = Effect.map(Effect.context<never>(), (context) => formatUnsafe(context))
  const program = Effect.gen(function* () {
    const before = yield* metrics
    yield* request(() => Promise.resolve(1))
    yield* Effect.ignore(request(() => Promise.reject(new Error("down"))))
    yield* countFailedRemoval
    yield* countEndedTransaction("timeout")
    return { before, after: yield* metrics }
  })
  const { after, before } = await Effect.runPromise(program)
  for (const name of [
    'tapedeck_s3_request_duration_seconds_count{outcome="success"}',
    'tapedeck_s3_request_duration_seconds_count{outcome="failure"}',
    "tapedeck_file_removals_failed_total",
    'tapedeck_transactions_ended_total{reason="timeout"}'
  ]) {
    expect(valueOf(after, name), name).toBe(valueOf(before, name) + 1)
  }
})
