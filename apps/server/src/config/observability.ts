import { optional, secretFile, setting } from "./setting.ts"
import { headerPairs, httpUrl, type LogLevel, logLevels, oneOf, onOff, someOf, text, wholeNumber } from "./values.ts"

/** The kinds of data that a collector receives. */
export const otlpSignals = ["traces", "metrics", "logs"] as const
export type OtlpSignal = (typeof otlpSignals)[number]

/** Settings of logs, metrics and traces. */
export const observability = {
  log: optional({
    value: "json|pretty",
    description: "format of log lines",
    parse: oneOf("json", "pretty"),
    initially: "pretty on a terminal, else json"
  }),
  log_level: setting<LogLevel>({
    value: "LEVEL",
    description: `lowest level that is logged: ${logLevels.join(", ")}`,
    parse: oneOf(...logLevels),
    initial: "info"
  }),
  access_log: setting({
    value: "on|off",
    description: "whether each request is a log line",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  metrics_port: optional({
    value: "N",
    description: "a separate port for /metrics, /healthz and /readyz; 0 for a free one",
    details: "See [Watching](operating.md#watching).",
    parse: wholeNumber(0, 65_535),
    initially: "off"
  }),
  metrics_host: setting({
    value: "ADDRESS",
    description: "address of metrics_port",
    parse: text,
    initial: "127.0.0.1"
  }),
  otlp_endpoint: optional({
    value: "URL",
    description: "an OTLP/HTTP collector of traces, metrics and logs, without /v1/traces",
    details: "See [OpenTelemetry](operating.md#opentelemetry).",
    parse: httpUrl,
    initially: "off"
  }),
  otlp_signals: setting({
    value: "SIGNAL,…",
    description: `data that the collector receives: some of ${otlpSignals.join(", ")}`,
    parse: someOf(...otlpSignals),
    initial: otlpSignals,
    initially: otlpSignals.join(",")
  }),
  otlp_headers: optional({
    value: "NAME=VALUE,…",
    description: "headers that the collector requires",
    parse: headerPairs,
    initially: "none",
    secret: true
  }),
  otlp_headers_file: secretFile("a file with them")
}
