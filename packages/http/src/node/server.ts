import { type IncomingMessage, Server, ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { ApiVersion } from "@tapedeck/contract"
import { productRootOf } from "../ProductApp.ts"
import { unsentAnswers } from "../pipeline/unsentAnswers.ts"
import { Pieces } from "../responses.ts"

/** Maximum size of a body that is sent as text. A larger one is sent as it is: to copy it would cost more than it saves. */
const maxTextBytes = 16 * 1024

/**
 * Effect's server lets Node compare each body with its `Content-Length`, for which Node keeps the end of the answer apart
 * from its body: one more write, and one more turn, for every answer. A body that is handed over at once, whole or in
 * pieces, has the length that was counted from it; streams stay compared.
 */
class WholeBodyResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (chunk instanceof Pieces) return this.endWith(chunk, encoding)
    if (chunk instanceof Uint8Array) return this.endWithBytes(chunk, encoding)
    if (typeof chunk === "string") {
      this.strictContentLength = false
      this.count(Buffer.byteLength(chunk))
    }
    return super.end(chunk as never, encoding as never, callback as never)
  }

  override writeHead(...head: ReadonlyArray<unknown>): this {
    const held = unsentAnswers.heldByStream(this.req)
    if (held > 0) this.count(held)
    return super.writeHead(...(head as Parameters<ServerResponse["writeHead"]>))
  }

  /** The answer counts until the system has all of it, or the connection is gone. */
  private count(sizeBytes: number): void {
    if (this.destroyed) return
    unsentAnswers.hold(sizeBytes, this.req, {
      onceSent: (release) => this.once("close", release),
      end: () => this.req.socket.destroy()
    })
  }

  /** Node joins text with the head of the answer, and sends both at once; bytes beside a head cost it a fifth more. */
  private endWithBytes(bytes: Uint8Array, callback: unknown): this {
    this.strictContentLength = false
    this.count(bytes.length)
    if (bytes.length > maxTextBytes) return super.end(bytes, callback as never)
    const { buffer, byteLength, byteOffset } = bytes
    return super.end(Buffer.from(buffer, byteOffset, byteLength).toString("latin1"), "latin1", callback as never)
  }

  private endWith({ pieces, sizeBytes }: Pieces, callback: unknown): this {
    this.strictContentLength = false
    this.count(sizeBytes)
    const { socket } = this
    socket?.cork()
    for (const piece of pieces) this.write(piece)
    super.end(callback as never)
    socket?.uncork()
    return this
  }
}

/**
 * Options of a Node HTTP server in front of the app. Node refuses headers over its own limit of 16 KiB with an empty 431, but long targets
 * must reach the app, which refuses them with 414 in the shape of the version (R1, R20).
 */
export const serverOptions = { maxHeaderSize: 1024 * 1024, ServerResponse: WholeBodyResponse } as const

/** Whether a request of a connection is being answered, and the events that wait for its answer. */
interface Turns {
  isAnswering: boolean
  readonly waiting: Array<() => void>
  /** Emits the error of malformed data after the last event. */
  fault?: () => void
}

const requestEvents: ReadonlySet<unknown> = new Set(["request", "checkContinue", "checkExpectation"])

/** The connections of a server, each of which has one request answered at a time. */
class Connections {
  private readonly turns = new WeakMap<Socket, Turns>()

  /** Emits a request's event when the answers before it have ended. */
  take({ socket }: IncomingMessage, response: ServerResponse, emit: () => void): void {
    const turns = this.turnsOf(socket)
    const begin = () => {
      turns.isAnswering = true
      response.once("close", () => this.next(socket, turns))
      emit()
    }
    if (turns.isAnswering) {
      turns.waiting.push(begin)
      socket.pause()
    } else begin()
  }

  /** Whether requests wait before what is malformed: then `emit` is called after them. */
  takeFault(socket: Socket, emit: () => void): boolean {
    const turns = this.turns.get(socket)
    if (turns === undefined || turns.waiting.length === 0) return false
    turns.fault = emit
    return true
  }

  private turnsOf(socket: Socket): Turns {
    const known = this.turns.get(socket)
    if (known !== undefined) return known
    const turns: Turns = { isAnswering: false, waiting: [] }
    this.turns.set(socket, turns)
    socket.once("close", () => turns.waiting.splice(0))
    // Node resumes it after each answer.
    socket.on("resume", () => {
      if (turns.waiting.length > 0) socket.pause()
    })
    return turns
  }

  private next(socket: Socket, turns: Turns): void {
    turns.isAnswering = false
    const isOpen = !(socket.destroyed || socket.writableEnded)
    const turn = isOpen ? turns.waiting.shift() : undefined
    if (isOpen && turns.waiting.length === 0) socket.resume()
    turn?.()
    if (turns.waiting.length > 0) return
    turns.fault?.()
    delete turns.fault
  }
}

// A class that is extended takes any arguments.
// biome-ignore lint/suspicious/noExplicitAny: as TypeScript has it of mixins
type ServerClass = new (...args: any[]) => Server

/**
 * A class of servers that answer one request of a connection at a time. Node gives each pipelined request to its listeners as soon as
 * it is parsed, so that one connection could have a thousand of them answered at once, before all other connections. Here the next
 * one waits for the answer before it, and while one waits nothing more is read: at most what one read of the socket held is kept.
 */
export const oneAtATime = <Base extends ServerClass>(base: Base): Base =>
  class extends base {
    private readonly ofClients = new Connections()

    override emit(name: string | symbol, ...event: ReadonlyArray<unknown>): boolean {
      const emit = () => super.emit(name as string, ...event)
      const [first, second] = event
      if (requestEvents.has(name)) {
        this.ofClients.take(first as IncomingMessage, second as ServerResponse, emit)
        return true
      }
      return (name === "clientError" && this.ofClients.takeFault(second as Socket, emit)) || emit()
    }
  }

/** Node's HTTP server, answering one request of a connection at a time. */
export const HttpServer = oneAtATime(Server)

/** A refusal of something that never became a request of the app. */
export interface RawRefusal {
  readonly status: number
  readonly message: string
  readonly version: ApiVersion
}

/** Headers of each answer. The caller has the clock and the ids. */
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
  // A request that was parsed before is answered first, and nothing after it is read.
  if (owed?.req.complete === true) owed.once("close", () => socket.destroySoon())
  else if (error.code === "ECONNRESET" || !socket.writable || owed?.headersSent === true) socket.destroy()
  else socket.end(answer, () => socket.destroy())
}
