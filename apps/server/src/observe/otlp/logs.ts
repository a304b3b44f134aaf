import { Cause, Effect, Layer, Logger } from "effect"
import { make } from "effect/observability/OtlpExporter"
import type { LogsData } from "effect/observability/OtlpLogger"
import { entriesToAttributes, fromConfig } from "effect/observability/OtlpResource"
import { OtlpSerialization } from "effect/observability/OtlpSerialization"
import { entryOf } from "../log.ts"
import { type CollectorConfig, exporterOptions, layerExporter } from "./exporter.ts"

type LogRecord = NonNullable<LogsData["resourceLogs"][0]["scopeLogs"][0]["logRecords"]>[0]

/** OpenTelemetry's numbers of the levels. */
const severityNumbers = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const

const exceptionOf = (cause: Cause.Cause<unknown>, stack: string | undefined) => {
  const [first] = Cause.prettyErrors(cause)
  return first === undefined
    ? {}
    : { "exception.type": first.name, "exception.message": first.message, "exception.stacktrace": stack }
}

/** A log line: its message as the body, its fields as attributes, with the span in which it was logged. */
const recordOf = (options: Logger.Options<unknown>): LogRecord => {
  const { cause, fields, level, message } = entryOf(options)
  const time = `${options.date.getTime()}000000`
  const attributes = Object.entries({ ...fields, ...exceptionOf(options.cause, cause) })
  const span = options.fiber.cache.span
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: severityNumbers[level as keyof typeof severityNumbers],
    severityText: level.toUpperCase(),
    body: { stringValue: message },
    attributes: entriesToAttributes(attributes.filter(([, value]) => value !== undefined && value !== null)),
    droppedAttributesCount: 0,
    ...(span !== undefined && { traceId: span.traceId.padStart(32, "0"), spanId: span.spanId })
  }
}

const makeLogger = Effect.fnUntraced(function* (config: CollectorConfig) {
  const { resource: attributes, ...options } = yield* exporterOptions(config, "logs")
  const resource = yield* fromConfig(attributes)
  const { logs } = yield* OtlpSerialization
  const scope = { name: attributes.serviceName, version: attributes.serviceVersion }
  const { push } = yield* make({
    ...options,
    label: "OtlpLogger",
    exportInterval: "1 second",
    body: (logRecords) => [logs({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] }), Effect.void]
  })
  return Logger.make((options) => push(recordOf(options)))
})

/** Sends log lines to the collector in batches, beside the log; the last batch when the server stops. */
export const layerLogs = (config: CollectorConfig) =>
  Logger.layer([makeLogger(config)], { mergeWithExisting: true }).pipe(Layer.provide(layerExporter("logs")))
