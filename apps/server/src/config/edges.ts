import { optional, setting } from "./setting.ts"
import { durationOf, networks, onOff, origins, sizeBytes, text, wholeNumber } from "./values.ts"

/** How the server meets the network: TLS, proxies before it, and how much one client may ask of it. */
export const edges = {
  tls_cert: optional({
    value: "FILE",
    says: "the certificate and its chain (PEM): the server then speaks TLS",
    parse: text,
    initially: "none"
  }),
  tls_key: optional({ value: "FILE", says: "the certificate's key (PEM)", parse: text, initially: "none" }),
  trusted_proxies: setting<ReadonlyArray<string>>({
    value: "CIDR,…",
    says: "proxies before the server whose X-Forwarded-* headers count",
    parse: networks,
    initial: [],
    initially: "none"
  }),
  insecure_http: setting({
    value: "on|off",
    says: "whether it may serve plain HTTP on an address that is not loopback, without trusted proxies",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  cors_origins: setting<ReadonlyArray<string>>({
    value: "ORIGIN,…",
    says: "origins whose pages may call the API with a token (R25)",
    parse: origins,
    initial: [],
    initially: "none"
  }),
  max_connections: setting({
    value: "N",
    says: "open connections at a time; more are closed at once",
    parse: wholeNumber(1),
    initial: 5_000
  }),
  max_connections_per_address: setting({
    value: "N",
    says: "and how many of them from one address (IPv6: one /64) that is no trusted proxy",
    parse: wholeNumber(1),
    initial: 256
  }),
  max_header_size: setting({
    value: "SIZE",
    says: "how large a request's headers, with its target, may be",
    parse: sizeBytes,
    initial: 128 * 1024,
    initially: "128KB"
  }),
  max_headers: setting({
    value: "N",
    says: "how many headers a request may have",
    parse: wholeNumber(1),
    initial: 100
  }),
  headers_timeout: setting({
    value: "DURATION",
    says: "how long a request's headers may take to come",
    parse: durationOf,
    initial: 20_000,
    initially: "PT20S"
  }),
  body_idle_timeout: setting({
    value: "DURATION",
    says: "how long a body may stand still; it may take as long as it likes while it moves",
    parse: durationOf,
    initial: 60_000,
    initially: "PT1M"
  }),
  write_idle_timeout: setting({
    value: "DURATION",
    says: "how long an answer may stand still because the client does not read it",
    parse: durationOf,
    initial: 30_000,
    initially: "PT30S"
  }),
  keep_alive_timeout: setting({
    value: "DURATION",
    says: "how long a connection without a request is kept; longer than a proxy's",
    parse: durationOf,
    initial: 65_000,
    initially: "PT1M5S"
  })
}

interface Edges {
  readonly tls_cert: string | undefined
  readonly tls_key: string | undefined
}

/** What is wrong with settings together, each line naming its variables. */
export const edgeProblems = ({ tls_cert, tls_key }: Edges): ReadonlyArray<string> =>
  (tls_cert === undefined) === (tls_key === undefined)
    ? []
    : ["TAPEDECK_TLS_CERT and TAPEDECK_TLS_KEY: set both, or neither"]
