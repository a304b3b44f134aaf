import { Layer } from "effect"
import { FetchHttpClient, HttpMiddleware } from "effect/http"
import { layerJson } from "effect/observability/OtlpSerialization"
import { layer } from "effect/observability/OtlpTracer"
import packageJson from "../../package.json" with { type: "json" }
import type { Config } from "../config/Config.ts"

/** Sends spans to the collector, in batches, and what is left when the server stops. A collector that is gone is no harm. */
export const layerTraces = (otlp_endpoint: string, otlp_headers: Config["otlp_headers"]) =>
  Layer.merge(
    layer({
      url: `${otlp_endpoint.replace(/\/$/, "")}/v1/traces`,
      resource: { serviceName: "tapedeck", serviceVersion: packageJson.version },
      ...(otlp_headers !== undefined && { headers: otlp_headers })
    }).pipe(Layer.provide(layerJson), Layer.provide(FetchHttpClient.layer)),
    // Effect's own spans of requests hold headers and queries; `requests.ts` makes ours.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)
  )
