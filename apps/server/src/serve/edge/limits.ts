import { randomUUID } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { productRootOf } from "@tapedeck/http"
import {
  type ClientError,
  type ClientFault,
  clientFault,
  type RawRefusal,
  rawRefusal,
  refuseClient,
  watchAnswers
} from "@tapedeck/http/node"
import type { Config } from "../../config/Config.ts"

type Limits = Pick<
  Config,
  "body_idle_timeout" | "headers_timeout" | "keep_alive_timeout" | "max_connections" | "max_header_size"
>

/** Interval at which Node checks for requests whose headers are late, in milliseconds. */
const lookMs = 1_000

/** Interval at which the progress of a body is checked, in milliseconds. */
const bodyLookMs = 5_000

/** Options of a Node server, so that its limits are those of the settings. */
export const limitOptions = ({ headers_timeout, keep_alive_timeout, max_header_size }: Limits) => ({
  maxHeaderSize: max_header_size,
  headersTimeout: headers_timeout,
  keepAliveTimeout: keep_alive_timeout,
  // A request may last as long as its body makes progress: a large upload is not cut.
  requestTimeout: 0,
  connectionsCheckingInterval: Math.max(1, Math.min(lookMs, Math.floor(headers_timeout / 2)))
})

/** Called for each connection, for the metrics. */
export interface ConnectionEvents {
  readonly onRefused: (reason: ClientFault) => void
  readonly onDropped: () => void
}

/** Enforces the limits on connections: their number, slow requests, malformed HTTP. */
export const limitConnections = (
  server: Server,
  { body_idle_timeout, max_connections }: Limits,
  { onDropped, onRefused }: ConnectionEvents
): void => {
  server.maxConnections = max_connections
  // No header is dropped: the app refuses requests with too many.
  server.maxHeadersCount = 0
  server.on("drop", onDropped)
  watchAnswers(server)
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

/** Ends a request whose body makes no progress, or less than 1 KiB/s for 30 s. A faster body has no limit of time. */
const limitBody = (
  request: IncomingMessage,
  response: ServerResponse,
  idleMs: number,
  onRefused: ConnectionEvents["onRefused"]
): void => {
  const { socket } = request
  const end = () => {
    onRefused("too_slow")
    if (response.headersSent || !socket.writable) socket.destroy()
    else socket.end(refusalText(lateRefusal(request)), () => socket.destroy())
  }
  request.setTimeout(idleMs, end)
  // Node emits `timeout` for incomplete requests, and for responses, which may last longer. Without a listener it ends the connection.
  response.on("timeout", () => {})
  const progress = new BodyProgress(socket.bytesRead, performance.now())
  const timer = setInterval(() => {
    if (request.complete) clearInterval(timer)
    // Bytes that have arrived and were not read yet are no fault of the client.
    else if (progress.isSlow(socket.bytesRead, performance.now()) && request.readableLength === 0) end()
  }, bodyLookMs).unref()
  request.once("close", () => clearInterval(timer))
}

/** Window in which a body must have at least `slowBodyBytes`, in milliseconds. */
export const slowBodyMs = 30_000
export const slowBodyBytes = 30 * 1024

/** Progress of a body between two checks. */
export class BodyProgress {
  private bytes: number
  private sinceMs: number

  constructor(bytes: number, nowMs: number) {
    this.bytes = bytes
    this.sinceMs = nowMs
  }

  /** Returns whether fewer than 1 KiB/s arrived in the last 30 s or more. Then starts the next 30 s. */
  isSlow(bytes: number, nowMs: number): boolean {
    if (nowMs - this.sinceMs < slowBodyMs) return false
    const isSlow = bytes - this.bytes < slowBodyBytes
    this.bytes = bytes
    this.sinceMs = nowMs
    return isSlow
  }
}

const lateRefusal = ({ url = "" }: IncomingMessage) => ({
  status: 408,
  message: "The body did not arrive in time",
  version: productRootOf(url).version
})

/** The response to something that never became a request of the app. */
const refusalText = (refusal: RawRefusal): string =>
  rawRefusal(refusal, { requestId: randomUUID(), date: new Date().toUTCString() })
