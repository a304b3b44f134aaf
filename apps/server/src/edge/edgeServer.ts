import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { isIP } from "node:net"
import { serverOptions } from "@tapedeck/http"
import { Effect, Metric } from "effect"
import type { Config } from "../config/Config.ts"
import { limitConnections, limitOptions } from "./limits.ts"
import { readPair, reloadTls } from "./tls.ts"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** General rules 3: all requests are made over TLS. Who ends it is the operator's to say. */
const warnOfPlainHttp = ({ host, tls_cert, trusted_proxies }: Config) =>
  tls_cert !== undefined || trusted_proxies.length > 0 || isLoopback(host)
    ? Effect.void
    : Effect.logWarning(
        `requests and tokens cross the network unencrypted: ${host} is no loopback address. Set TAPEDECK_TLS_CERT and ` +
          "TAPEDECK_TLS_KEY, or put a proxy that speaks TLS before it and name it in TAPEDECK_TRUSTED_PROXIES"
      )

const dropped = Metric.counter("tapedeck_http_connections_dropped_total", {
  description: "Connections closed at once, for there were too many",
  incremental: true
})

const refused = (reason: string) =>
  Metric.counter("tapedeck_http_connections_refused_total", {
    description: "Connections ended before they made a request that could be read, by reason",
    attributes: { reason },
    incremental: true
  })

/** The Node server before the app: over TLS where there is a certificate, and within the limits. It is for others to open. */
export const makeEdgeServer = Effect.fnUntraced(function* (config: Config) {
  yield* warnOfPlainHttp(config)
  const context = yield* Effect.context<never>()
  const options = { ...serverOptions, ...limitOptions(config) }
  const { tls_cert: cert, tls_key: key } = config
  const files = cert === undefined || key === undefined ? undefined : { cert, key }
  const server: Server =
    files === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...readPair(files), handshakeTimeout: config.headers_timeout })
  if (files !== undefined) yield* reloadTls(server as ReturnType<typeof createTlsServer>, files)
  limitConnections(server, config, {
    onDropped: () => dropped.updateUnsafe(1, context),
    onRefused: (reason) => refused(reason).updateUnsafe(1, context)
  })
  return server
})
