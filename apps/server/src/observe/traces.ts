import { hostname } from "node:os"
import { ExportsSpans } from "@tapedeck/core"
import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpMiddleware } from "effect/http"
import { layerFlusher } from "effect/observability/OtlpExporter"
import { layerJson, OtlpSerialization } from "effect/observability/OtlpSerialization"
import { make } from "effect/observability/OtlpTracer"
import packageJson from "../../package.json" with { type: "json" }
import type { Config } from "../config/Config.ts"
import { attemptSpan } from "./attempts.ts"
import { redact } from "./redact.ts"

/** Returns whether a span belongs to a request or to an attempt. Workers poll their queues each second, without a cause. */
const hasCause = ({ kind, name, parent }: Parameters<Tracer.Tracer["span"]>[0]): boolean =>
  kind === "server" || Option.isSome(parent) || name.startsWith(attemptSpan)

const withoutPolling = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => tracer.span(hasCause(options) ? options : { ...options, sampled: false })
  })

/** Spans contain the messages and stacks of errors. Secrets in them are redacted as in the log. */
const layerRedacted = Layer.effect(
  OtlpSerialization,
  Effect.map(OtlpSerialization, (json) =>
    OtlpSerialization.of({
      ...json,
      traces: (data) => HttpBody.text(redact(JSON.stringify(data)), "application/json")
    })
  )
).pipe(Layer.provide(layerJson))

/** Sends spans to the collector in batches; the last batch when the server stops. The server does not depend on the collector. */
export const layerTraces = (otlp_endpoint: string, otlp_headers: Config["otlp_headers"]) =>
  Layer.mergeAll(
    Layer.effect(
      Tracer.Tracer,
      Effect.map(
        make({
          url: `${otlp_endpoint.replace(/\/$/, "")}/v1/traces`,
          // A collector that does not answer must not delay the stop of the server.
          shutdownTimeout: "1 second",
          // Operators add attributes, such as the environment, in OTEL_RESOURCE_ATTRIBUTES.
          resource: {
            serviceName: "tapedeck",
            serviceVersion: packageJson.version,
            attributes: { "service.instance.id": `${hostname()}:${process.pid}` }
          },
          ...(otlp_headers !== undefined && { headers: otlp_headers })
        }),
        withoutPolling
      )
    ).pipe(Layer.provide([layerFlusher, layerRedacted, FetchHttpClient.layer])),
    // Effect's own spans of requests hold headers and queries; `requests.ts` makes ours.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(ExportsSpans, true)
  )
