import { Server } from "node:https"
import { type ClientFault, HttpServer, oneAtATime, serverOptions } from "@tapedeck/http/node"
import { Effect, Metric } from "effect"
import type { Config } from "../../config/Config.ts"
import { limitEachConnection } from "./connections.ts"
import { limitConnections, limitOptions } from "./limits.ts"
import { warnOfPlainHttp } from "./plainHttp.ts"
import { readPair, reloadTls } from "./tls.ts"

const HttpsServer = oneAtATime(Server)

const dropped = Metric.counter("tapedeck_http_connections_dropped_total", {
  description: "Connections closed because there were too many",
  incremental: true
})

const stalled = Metric.counter("tapedeck_http_connections_stalled_total", {
  description: "Connections closed because the client did not read the response",
  incremental: true
})

const reasons: ReadonlyArray<ClientFault> = ["malformed", "headers_too_large", "too_slow"]

const refused = (reason: ClientFault) =>
  Metric.counter("tapedeck_http_connections_refused_total", {
    description: "Connections closed before a valid request, by reason",
    attributes: { reason },
    incremental: true
  })

/** The Node server in front of the app: with TLS if there is a certificate, and with the limits. The caller opens it. */
export const makeEdgeServer = Effect.fnUntraced(function* (config: Config) {
  yield* warnOfPlainHttp(config)
  const context = yield* Effect.context<never>()
  const options = { ...serverOptions, ...limitOptions(config) }
  const { tls_cert: cert, tls_key: key } = config
  const files = cert === undefined || key === undefined ? undefined : { cert, key }
  const tlsServer =
    files && new HttpsServer({ ...options, ...readPair(files), handshakeTimeout: config.headers_timeout })
  const server = tlsServer ?? new HttpServer(options)
  if (files && tlsServer) yield* reloadTls(tlsServer, files)
  // Prometheus sees no increase of a counter whose first value is 1.
  for (const counter of [dropped, stalled, ...reasons.map(refused)]) counter.updateUnsafe(0, context)
  const onDropped = () => dropped.updateUnsafe(1, context)
  limitConnections(server, config, {
    onDropped,
    onRefused: (reason) => refused(reason).updateUnsafe(1, context)
  })
  limitEachConnection(server, config, {
    onTooMany: onDropped,
    onStalled: () => stalled.updateUnsafe(1, context)
  })
  return server
})
