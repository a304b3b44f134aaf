import { optional, secretFile, setting } from "./setting.ts"
import { headerPairs, httpUrl, type LogLevel, logLevels, oneOf, onOff, text, wholeNumber } from "./values.ts"

/** What the server tells of itself, and to whom. */
export const watching = {
  log: optional({
    value: "json|pretty",
    says: "how log lines are written",
    parse: oneOf("json", "pretty"),
    initially: "pretty on a terminal, else json"
  }),
  log_level: setting<LogLevel>({
    value: "LEVEL",
    says: `the least that is logged: ${logLevels.join(", ")}`,
    parse: oneOf(...logLevels),
    initial: "info"
  }),
  access_log: setting({
    value: "on|off",
    says: "whether each request is a log line",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  metrics_port: optional({
    value: "N",
    says: "a port of its own for /metrics, /healthz and /readyz; 0 takes a free one",
    parse: wholeNumber(0, 65_535),
    initially: "off"
  }),
  metrics_host: setting({ value: "ADDRESS", says: "where that port is", parse: text, initial: "127.0.0.1" }),
  otlp_endpoint: optional({
    value: "URL",
    says: "an OTLP/HTTP collector that traces are sent to, without /v1/traces",
    parse: httpUrl,
    initially: "off"
  }),
  otlp_headers: optional({
    value: "NAME=VALUE,…",
    says: "headers that the collector wants",
    parse: headerPairs,
    initially: "none",
    secret: true
  }),
  otlp_headers_file: secretFile("a file with them")
}
