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

/** How often Node checks for requests whose headers are late. */
const lookMs = 1_000

/** How often the progress of a body is checked. */
const bodyLookMs = 5_000

/** Options of a Node server, so that its limits are those of the settings. */
export const limitOptions = ({ headers_timeout, keep_alive_timeout, max_header_size }: Limits) => ({
  maxHeaderSize: max_header_size,
  headersTimeout: headers_timeout,
  keepAliveTimeout: keep_alive_timeout,
  // A request may take as long as its body makes progress: a large upload is not cut.
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

/** Ends a request whose body makes no progress, or less than 1 KiB/s for 30 s. A faster one may take any time. */
const limitBody = (
  request: IncomingMessage,
  response: ServerResponse,
  idleMs: number,
  onRefused: ConnectionEvents["onRefused"]
): void => {
  const { socket } = request
  // Node emits it for requests whose body is still to come, and for responses, which may take longer.
  const end = () => {
    onRefused("too_slow")
    if (response.headersSent || !socket.writable) socket.destroy()
    else socket.end(refusalText(late(request)), () => socket.destroy())
  }
  request.setTimeout(idleMs, end)
  response.on("timeout", () => {})
  const progress = new BodyProgress(socket.bytesRead, performance.now())
  const timer = setInterval(() => {
    if (request.complete) clearInterval(timer)
    // What came and was not read yet is no fault of the client.
    else if (progress.isSlow(socket.bytesRead, performance.now()) && request.readableLength === 0) end()
  }, bodyLookMs).unref()
  request.once("close", () => clearInterval(timer))
}

/** A body must have so many bytes in so much time. */
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

  /** Whether fewer than 1 KiB/s came in the last 30 s or more; then the next 30 s begin. */
  isSlow(bytes: number, nowMs: number): boolean {
    if (nowMs - this.sinceMs < slowBodyMs) return false
    const isSlow = bytes - this.bytes < slowBodyBytes
    this.bytes = bytes
    this.sinceMs = nowMs
    return isSlow
  }
}

const late = ({ url = "" }: IncomingMessage) => ({
  status: 408,
  message: "The body did not arrive in time",
  version: productRootOf(url).version
})

/** The response to something that never became a request of the app. */
const refusalText = (refusal: RawRefusal): string =>
  rawRefusal(refusal, { requestId: randomUUID(), date: new Date().toUTCString() })
