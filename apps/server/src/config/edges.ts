import { bothOrNeither, optional, type Problem, setting } from "./setting.ts"
import { durationOf, networks, onOff, origins, sizeBytes, text, wholeNumber } from "./values.ts"

/** Settings of the network edge: TLS, trusted proxies, and limits of clients. */
export const edges = {
  tls_cert: optional({
    value: "FILE",
    description: "certificate and chain (PEM), with which the server speaks TLS",
    details: "See [TLS by the server](operating.md#tls-by-the-server).",
    parse: text,
    initially: "none"
  }),
  tls_key: optional({ value: "FILE", description: "key of the certificate (PEM)", parse: text, initially: "none" }),
  trusted_proxies: setting<ReadonlyArray<string>>({
    value: "CIDR,…",
    description: "trusted proxies, whose X-Forwarded-* headers count",
    details: "See [Behind a proxy](operating.md#behind-a-proxy).",
    parse: networks,
    initial: [],
    initially: "none"
  }),
  insecure_http: setting({
    value: "on|off",
    description: "whether the server may serve plain HTTP on an address that is not loopback, without trusted proxies",
    details: "By default such a server [does not start](operating.md#edges).",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  cors_origins: setting<ReadonlyArray<string>>({
    value: "ORIGIN,…",
    description: "origins whose pages may call the API with a token",
    details: "See [Pages of other origins](operating.md#pages-of-other-origins).",
    parse: origins,
    initial: [],
    initially: "none"
  }),
  max_connections: setting({
    value: "N",
    description: "maximum number of open connections; further ones are closed",
    details: "See [Edges](operating.md#edges) for the limits.",
    parse: wholeNumber(1),
    initial: 5_000
  }),
  max_connections_per_address: setting({
    value: "N",
    description: "maximum number of open connections from one address (IPv6: one /64), except trusted proxies",
    parse: wholeNumber(1),
    initial: 256
  }),
  max_header_size: setting({
    value: "SIZE",
    description: "maximum size of a request's headers and target",
    parse: sizeBytes,
    initial: 128 * 1024,
    initially: "128KB"
  }),
  max_headers: setting({
    value: "N",
    description: "maximum number of headers of a request",
    parse: wholeNumber(1),
    initial: 100
  }),
  headers_timeout: setting({
    value: "DURATION",
    description: "maximum time for a request's headers",
    parse: durationOf,
    initial: 20_000,
    initially: "PT20S"
  }),
  body_idle_timeout: setting({
    value: "DURATION",
    description: "maximum time without progress of a body",
    parse: durationOf,
    initial: 60_000,
    initially: "PT1M"
  }),
  write_idle_timeout: setting({
    value: "DURATION",
    description: "maximum time in which the client reads nothing of a response",
    parse: durationOf,
    initial: 30_000,
    initially: "PT30S"
  }),
  keep_alive_timeout: setting({
    value: "DURATION",
    description: "maximum idle time of a connection; set it longer than that of a proxy",
    parse: durationOf,
    initial: 65_000,
    initially: "PT1M5S"
  })
}

interface Edges {
  readonly tls_cert: string | undefined
  readonly tls_key: string | undefined
}

/** Errors of combinations of settings. */
export const edgeProblems = (config: Edges): ReadonlyArray<Problem<keyof Edges>> =>
  bothOrNeither(config, "tls_cert", "tls_key")
