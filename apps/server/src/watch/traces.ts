import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpMiddleware } from "effect/http"
import { layerFlusher } from "effect/observability/OtlpExporter"
import { layerJson, OtlpSerialization } from "effect/observability/OtlpSerialization"
import { make } from "effect/observability/OtlpTracer"
import packageJson from "../../package.json" with { type: "json" }
import type { Config } from "../config/Config.ts"
import { attemptSpan } from "./attemptSpan.ts"
import { redact } from "./redact.ts"

/** Statements that no request and no attempt asked for: a worker looks into its queue each second, for ever. */
const isPolling: (span: Parameters<Tracer.Tracer["span"]>[0]) => boolean = ({ kind, name, parent }) =>
  kind === "client" && Option.isNone(parent) && !name.startsWith(attemptSpan)

const withoutPolling = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => tracer.span(isPolling(options) ? { ...options, sampled: false } : options)
  })

/** An error's message and stack go with its span: they are blotted out as in the log. */
const layerRedacted = Layer.effect(
  OtlpSerialization,
  Effect.map(OtlpSerialization, (json) =>
    OtlpSerialization.of({
      ...json,
      traces: (data) => HttpBody.text(redact(JSON.stringify(data)), "application/json")
    })
  )
).pipe(Layer.provide(layerJson))

/** Sends spans to the collector, in batches, and what is left when the server stops. A collector that is gone is no harm. */
export const layerTraces = (otlp_endpoint: string, otlp_headers: Config["otlp_headers"]) =>
  Layer.merge(
    Layer.effect(
      Tracer.Tracer,
      Effect.map(
        make({
          url: `${otlp_endpoint.replace(/\/$/, "")}/v1/traces`,
          // A collector that does not answer is not waited for: whoever stops the server waits too.
          shutdownTimeout: "1 second",
          resource: { serviceName: "tapedeck", serviceVersion: packageJson.version },
          ...(otlp_headers !== undefined && { headers: otlp_headers })
        }),
        withoutPolling
      )
    ).pipe(Layer.provide([layerFlusher, layerRedacted, FetchHttpClient.layer])),
    // Effect's own spans of requests hold headers and queries; `requests.ts` makes ours.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)
  )
