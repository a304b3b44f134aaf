import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Metric } from "effect"
import packageJson from "../../package.json" with { type: "json" }

/** `monitorEventLoopDelay` counts in nanoseconds. */
const perSecond = 1e9

/** Resolution of the event-loop delay, in milliseconds. A finer one costs more than it shows. */
const resolutionMs = 20

const gauge = (name: string, description: string, attributes: Record<string, string> = {}) =>
  Metric.gauge(name, { description, attributes })

/** Metrics of the process, computed when they are read. */
export const processMetrics = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => monitorEventLoopDelay({ resolution: resolutionMs })),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  delay.enable()
  const cpu = Metric.counter("process_cpu_seconds_total", { description: "CPU time, user and system" })
  const registered = <State>(metric: Metric.Metric<number, State>, get: () => State) =>
    Effect.acquireRelease(
      Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })),
      (registration) => Effect.sync(() => registration.remove())
    )
  const read = (metric: Metric.Gauge<number>, value: () => number) => registered(metric, () => ({ value: value() }))
  const startedAt = Date.now() / 1000 - process.uptime()
  const lag = (quantile: string) =>
    gauge("nodejs_eventloop_lag_seconds", "Delay of the event loop since the last scrape", { quantile })
  // The resolution itself is no delay.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / perSecond - resolutionMs / 1000)

  yield* read(
    gauge("tapedeck_build_info", "Version of the server; the value is always 1", {
      version: packageJson.version,
      node: process.version
    }),
    () => 1
  )
  yield* read(gauge("process_start_time_seconds", "Start time of the process, since 1970"), () => startedAt)
  yield* read(gauge("process_uptime_seconds", "Uptime of the process"), () => process.uptime())
  yield* registered(cpu, () => {
    const { system, user } = process.cpuUsage()
    return { count: (system + user) / 1e6, incremental: true }
  })
  yield* read(gauge("process_resident_memory_bytes", "Resident memory of the process"), () => process.memoryUsage.rss())
  yield* read(gauge("nodejs_heap_size_used_bytes", "Used JavaScript heap"), () => process.memoryUsage().heapUsed)
  yield* read(lag("0.5"), () => late(delay.percentile(50)))
  yield* read(lag("0.99"), () => late(delay.percentile(99)))
  yield* read(lag("1"), () => {
    const seconds = late(delay.max)
    delay.reset()
    return seconds
  })
})
