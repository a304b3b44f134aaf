import { ExportsSpans } from "@tapedeck/core"
import { Effect, Layer, Option, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { make } from "effect/observability/OtlpTracer"
import { attemptSpan } from "../attempts.ts"
import { type CollectorConfig, exporterOptions, layerExporter } from "./exporter.ts"

/** Returns whether a span belongs to a request or to an attempt. Workers poll their queues each second, without a cause. */
const hasCause = ({ kind, name, parent }: Parameters<Tracer.Tracer["span"]>[0]): boolean =>
  kind === "server" || Option.isSome(parent) || name.startsWith(attemptSpan)

const withoutPolling = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => tracer.span(hasCause(options) ? options : { ...options, sampled: false })
  })

/** Sends spans to the collector in batches; the last batch when the server stops. */
export const layerTraces = (config: CollectorConfig) =>
  Layer.mergeAll(
    Layer.effect(
      Tracer.Tracer,
      Effect.map(Effect.flatMap(exporterOptions(config, "traces"), make), withoutPolling)
    ).pipe(Layer.provide(layerExporter("traces"))),
    // Effect's own spans of requests hold headers and queries; `requests.ts` makes ours.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(ExportsSpans, true)
  )
