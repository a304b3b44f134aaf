import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { ApiVersion } from "@tapedeck/contract"
import { productRootOf } from "../ProductApp.ts"

/** A refusal of something that never became a request of the app. */
export interface RawRefusal {
  readonly status: number
  readonly message: string
  readonly version: ApiVersion
}

/** What each answer carries: the host of the app has the clock and the ids. */
export interface Stamp {
  readonly requestId: string
  readonly date: string
}

/** The answer as it goes over the socket. */
export const rawRefusal = ({ message, status, version }: RawRefusal, { date, requestId }: Stamp): string => {
  const body = JSON.stringify({ error: version === "v1" ? { message, code: status } : message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${date}`,
    `x-request-id: ${requestId}`,
    "x-content-type-options: nosniff",
    "cache-control: no-store",
    "connection: close",
    "",
    body
  ].join("\r\n")
}

/** An error of Node's `clientError`: the packet that could not be parsed comes along, if there is one. */
export interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

export type ClientFault = "headers_too_large" | "too_slow" | "malformed"

const faults: Readonly<
  Record<string, { readonly status: number; readonly reason: ClientFault; readonly message: string }>
> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: "headers_too_large", message: "The request's headers are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "too_slow", message: "The request did not come in time" }
}

const malformed = { status: 400, reason: "malformed", message: "Malformed HTTP request" } as const

/** The reason, and the refusal in the shape of the version whose path the packet's request line names (R2). */
export const clientFault = (
  { code, rawPacket }: ClientError,
  below: (target: string) => string = (target) => target
): RawRefusal & { readonly reason: ClientFault } => {
  const [, target = ""] = /^[A-Za-z]+ (\S+)/.exec(rawPacket?.toString("latin1", 0, 8192) ?? "") ?? []
  return { ...(faults[code ?? ""] ?? malformed), version: productRootOf(below(target)).version }
}

/** The answers of each connection that have not ended, in the order of their requests. */
const owedAnswers = new WeakMap<Socket, Set<ServerResponse>>()

/** Registers the answers of a server's connections, which `refuseClient` needs. */
export const watchAnswers = (server: Server): void => {
  const watch = ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const owed = owedAnswers.get(socket) ?? new Set()
    owedAnswers.set(socket, owed.add(answer))
    answer.once("close", () => owed.delete(answer))
  }
  server.prependListener("request", watch)
  server.prependListener("checkContinue", watch)
}

/** Answers what Node could not parse, after the answer that the connection is still owed; then the connection ends. */
export const refuseClient = (error: ClientError, socket: Socket, answer: string): void => {
  const [owed] = owedAnswers.get(socket) ?? []
  // What came before it was a request: it has its answer first, and nothing after it is read.
  if (owed?.req.complete === true) owed.once("close", () => socket.destroySoon())
  else if (error.code === "ECONNRESET" || !socket.writable || owed?.headersSent === true) socket.destroy()
  else socket.end(answer, () => socket.destroy())
}
