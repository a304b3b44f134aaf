import { randomUUID } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import {
  type ClientError,
  type ClientFault,
  clientFault,
  productRootOf,
  type RawRefusal,
  rawRefusal,
  refuseClient
} from "@tapedeck/http"
import type { Config } from "../config/Config.ts"

type Limits = Pick<
  Config,
  "body_idle_timeout" | "headers_timeout" | "keep_alive_timeout" | "max_connections" | "max_header_size"
>

/** How often Node looks for requests whose headers are late. */
const lookMs = 1_000

/** What a Node server is made with, so that its own limits are ours. */
export const limitOptions = ({ headers_timeout, keep_alive_timeout, max_header_size }: Limits) => ({
  maxHeaderSize: max_header_size,
  headersTimeout: headers_timeout,
  keepAliveTimeout: keep_alive_timeout,
  // A request may take as long as its body moves: an upload is not cut for being large.
  requestTimeout: 0,
  connectionsCheckingInterval: Math.max(1, Math.min(lookMs, Math.floor(headers_timeout / 2)))
})

/** What became of connections; called for each, so as to be counted. */
export interface ConnectionEvents {
  readonly onRefused: (reason: ClientFault) => void
  readonly onDropped: () => void
}

/** Holds connections to the limits: how many, how slow, and what is no HTTP. */
export const limitConnections = (
  server: Server,
  { body_idle_timeout, max_connections }: Limits,
  { onDropped, onRefused }: ConnectionEvents
): void => {
  server.maxConnections = max_connections
  // None is left out unseen: how many there may be is for the app to refuse.
  server.maxHeadersCount = 0
  server.on("drop", onDropped)
  for (const event of ["request", "checkContinue"]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined) return
      limitBody(request, response, body_idle_timeout, onRefused)
    })
  }
  server.on("clientError", (error: ClientError, socket: Socket) => {
    const fault = clientFault(error)
    if (error.code !== "ECONNRESET") onRefused(fault.reason)
    refuseClient(error, socket, refusalText(fault))
  })
}

/** A body that stands still ends its request; one that moves takes as long as it likes. */
const limitBody = (
  request: IncomingMessage,
  response: ServerResponse,
  idleMs: number,
  onRefused: ConnectionEvents["onRefused"]
): void => {
  const { socket } = request
  // Node emits it of a request whose body is still to come, and else of its answer, which may well take longer.
  request.setTimeout(idleMs, () => {
    onRefused("too_slow")
    if (response.headersSent || !socket.writable) socket.destroy()
    else socket.end(refusalText(late(request)), () => socket.destroy())
  })
  response.on("timeout", () => {})
}

const late = ({ url = "" }: IncomingMessage) => ({
  status: 408,
  message: "The body did not come in time",
  version: productRootOf(url).version
})

/** The answer to what never became a request of the app. */
const refusalText = (refusal: RawRefusal): string =>
  rawRefusal(refusal, { requestId: randomUUID(), date: new Date().toUTCString() })
