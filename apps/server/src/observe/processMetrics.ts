import { monitorEventLoopDelay } from "node:perf_hooks"
import { computeSeries, declareCounter, declareGauge } from "@tapedeck/core"
import { Effect, type Metric } from "effect"
import packageJson from "../../package.json" with { type: "json" }

/** `monitorEventLoopDelay` counts in nanoseconds. */
const perSecond = 1e9

/** Resolution of the event-loop delay, in milliseconds. A finer one costs more than it shows. */
const resolutionMs = 20

const build = declareGauge("tapedeck_build_info", "Version of the server; always 1", { version: null, node: null })
const startTime = declareGauge("process_start_time_seconds", "Start of the process, since 1970", {})
const uptime = declareGauge("process_uptime_seconds", "Time since the start of the process", {})
const cpu = declareCounter("process_cpu_seconds_total", "Processor time, user and system", {})
const memory = declareGauge("process_resident_memory_bytes", "Resident memory of the process", {})
const heap = declareGauge("nodejs_heap_size_used_bytes", "Used JavaScript heap", {})
const medianLag = declareGauge(
  "nodejs_eventloop_lag_p50_seconds",
  "Median delay of the event loop since the last scrape or export",
  {}
)
const highLag = declareGauge(
  "nodejs_eventloop_lag_p99_seconds",
  "99th percentile of the delay of the event loop since the last scrape or export",
  {}
)
const maxLag = declareGauge(
  "nodejs_eventloop_lag_max_seconds",
  "Maximum delay of the event loop since the last scrape or export",
  {}
)

export const processMetrics = [build, startTime, uptime, cpu, memory, heap, medianLag, highLag, maxLag]

/** Computes the metrics of the process when they are read, as long as the scope lasts. */
export const computeProcessMetrics = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => monitorEventLoopDelay({ resolution: resolutionMs })),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  delay.enable()
  const compute = (gauge: Metric.Gauge<number>, value: () => number) => computeSeries(gauge, () => ({ value: value() }))
  const startedAt = Date.now() / 1000 - process.uptime()
  // The resolution itself is no delay.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / perSecond - resolutionMs / 1000)

  yield* compute(build.of({ version: packageJson.version, node: process.version }), () => 1)
  yield* compute(startTime.of({}), () => startedAt)
  yield* compute(uptime.of({}), () => process.uptime())
  yield* computeSeries(cpu.of({}), () => {
    const { system, user } = process.cpuUsage()
    return { count: (system + user) / 1e6, incremental: true }
  })
  yield* compute(memory.of({}), () => process.memoryUsage.rss())
  yield* compute(heap.of({}), () => process.memoryUsage().heapUsed)
  yield* compute(medianLag.of({}), () => late(delay.percentile(50)))
  yield* compute(highLag.of({}), () => late(delay.percentile(99)))
  yield* compute(maxLag.of({}), () => {
    const seconds = late(delay.max)
    delay.reset()
    return seconds
  })
})
