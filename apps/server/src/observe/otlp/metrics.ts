import { Context, Duration, Effect, Layer } from "effect"
import { Flusher } from "effect/observability/OtlpExporter"
import { make } from "effect/observability/OtlpMetrics"
import { type CollectorConfig, exporterOptions, layerExporter } from "./exporter.ts"

/** Time between two exports, the default of OpenTelemetry. */
const interval = Duration.minutes(1)

/** Sends all metrics to the collector, after an `update` of those that are computed when they are read; the last when the scope closes. */
export const exportMetrics = Effect.fnUntraced(function* (config: CollectorConfig, update: Effect.Effect<void>) {
  const exporter = yield* Layer.build(layerExporter("metrics"))
  const options = yield* exporterOptions(config, "metrics")
  // The exporter has no hook before a snapshot, so that this loop sets the times.
  yield* Effect.provideContext(make({ ...options, exportInterval: Duration.infinity }), exporter)
  const { flush } = Context.get(exporter, Flusher)
  yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.andThen(update, flush), interval)))
})
