import { Server } from "node:https"
import { HttpServer, oneAtATime, serverOptions } from "@tapedeck/http/node"
import { Effect } from "effect"
import type { Config } from "../../config/Config.ts"
import { limitEachConnection } from "./connections.ts"
import { droppedConnections, refusedConnections, stalledConnections } from "./edgeMetrics.ts"
import { limitConnections, limitOptions } from "./limits.ts"
import { warnOfPlainHttp } from "./plainHttp.ts"
import { readPair, reloadTls } from "./tls.ts"

const HttpsServer = oneAtATime(Server)

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
  const onDropped = () => droppedConnections.of({}).updateUnsafe(1, context)
  limitConnections(server, config, {
    onDropped,
    onRefused: (reason) => refusedConnections.of({ reason }).updateUnsafe(1, context)
  })
  limitEachConnection(server, config, {
    onTooMany: onDropped,
    onStalled: () => stalledConnections.of({}).updateUnsafe(1, context)
  })
  return server
})
