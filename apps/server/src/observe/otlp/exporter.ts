import { hostname } from "node:os"
import { Config, Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpBody, HttpClient } from "effect/http"
import { layerFlusher } from "effect/observability/OtlpExporter"
import type { MetricsData } from "effect/observability/OtlpMetrics"
import { OtlpSerialization } from "effect/observability/OtlpSerialization"
import packageJson from "../../../package.json" with { type: "json" }
import { ConfigInvalid, type Config as ServerConfig } from "../../config/Config.ts"
import type { OtlpSignal } from "../../config/observability.ts"
import { redact } from "../redact.ts"
import { type ItemCounts, limits, makeTransport } from "./transport.ts"

export type CollectorConfig = Pick<ServerConfig, "otlp_endpoint" | "otlp_headers">

/** Attributes of the resource, such as the environment, by the standard variable of OpenTelemetry. */
const attributesVariable = "OTEL_RESOURCE_ATTRIBUTES"

const environmentAttributes = Config.Record(
  Schema.StringFromUriComponent,
  Schema.StringFromUriComponent,
  attributesVariable,
  { trim: true, keepEmptyValues: true }
).pipe(
  Config.withDefault({}),
  Effect.mapError(
    () =>
      new ConfigInvalid([
        { names: [], text: `${attributesVariable}: must be name=value,… with percent-encoded values` }
      ])
  )
)

/** Options of the exporter of a signal. Fails if the environment's attributes are invalid. */
export const exporterOptions = Effect.fnUntraced(function* (
  { otlp_endpoint = "", otlp_headers }: CollectorConfig,
  signal: OtlpSignal
) {
  const attributes = yield* environmentAttributes
  return {
    url: `${otlp_endpoint.replace(/\/$/, "")}/v1/${signal}`,
    headers: otlp_headers,
    maxBatchSize: limits.batch,
    // The last request is handed to the transport, which has a limit of its own.
    shutdownTimeout: limits.stopMs,
    resource: {
      serviceName: "tapedeck",
      serviceVersion: packageJson.version,
      attributes: { "service.instance.id": `${hostname()}:${process.pid}`, ...attributes }
    }
  }
})

/** Units by the ends of the names, as Prometheus names metrics. A collector adds no second end to a name for these units. */
const unitOf = (name: string): string => (/_seconds(_total)?$/.test(name) ? "s" : name.endsWith("_bytes") ? "By" : "")

type MetricData = MetricsData["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]

/** With its unit, and without the extrema of a histogram, which are those since the start, and infinite without values. */
const exportedMetric = ({ histogram, ...metric }: MetricData): MetricData => ({
  ...metric,
  unit: unitOf(metric.name),
  ...(histogram !== undefined && {
    histogram: { ...histogram, dataPoints: histogram.dataPoints.map(({ max, min, ...point }) => point) }
  })
})

const exportedMetrics = ({ resourceMetrics }: MetricsData): MetricsData => ({
  resourceMetrics: resourceMetrics.map(({ scopeMetrics, ...group }) => ({
    ...group,
    scopeMetrics: scopeMetrics.map(({ metrics, ...scope }) => ({ ...scope, metrics: metrics.map(exportedMetric) }))
  }))
})

const pointsOf = ({ gauge, histogram, sum }: MetricData) => (gauge ?? histogram ?? sum)?.dataPoints.length ?? 0

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

/** Secrets in texts, such as messages of errors, are redacted as in the log. Labels of metrics contain no texts of callers. */
const serialization = (counts: ItemCounts) => {
  const body = (text: string, count: number) => {
    const made = HttpBody.text(text, "application/json")
    counts.set(made, count)
    return made
  }
  return OtlpSerialization.of({
    traces: (data) =>
      body(
        redact(JSON.stringify(data)),
        sum(data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.map(({ spans }) => spans.length)))
      ),
    logs: (data) =>
      body(
        redact(JSON.stringify(data)),
        sum(data.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.map(({ logRecords = [] }) => logRecords.length)))
      ),
    metrics: (data) =>
      body(
        JSON.stringify(exportedMetrics(data)),
        sum(
          data.resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics.map(pointsOf))
          )
        )
      )
  })
}

/** Services of the exporter of a signal: the server does not depend on the collector, and no signal on another. */
export const layerExporter = (signal: OtlpSignal) => {
  const counts: ItemCounts = new WeakMap()
  return Layer.mergeAll(
    Layer.fresh(layerFlusher),
    Layer.succeed(OtlpSerialization, serialization(counts)),
    Layer.effect(HttpClient.HttpClient, makeTransport(signal, counts)).pipe(Layer.provide(FetchHttpClient.layer))
  )
}
