import { type IncomingMessage, ServerResponse } from "node:http"
import { type ApiError, type ApiVersion, errorBody, errorHeaders, errorStatus } from "@tapedeck/contract"
import { HttpBody, HttpServerResponse } from "effect/http"
import { unsentAnswers } from "./unsentAnswers.ts"

/**
 * A body in pieces that were ready before the request came. They are sent as they are, in one write: a page of 100
 * recordings costs half of what it costs as one string, which has to be put together, measured and encoded.
 */
export class Pieces {
  readonly pieces: ReadonlyArray<Uint8Array>
  readonly sizeBytes: number

  constructor(pieces: ReadonlyArray<Uint8Array>) {
    this.pieces = pieces
    let sizeBytes = 0
    for (const piece of pieces) sizeBytes += piece.length
    this.sizeBytes = sizeBytes
  }

  /** The whole body, for adapters without support of pieces, such as `fetch`. */
  toString(): string {
    return Buffer.concat(this.pieces).toString("utf8")
  }
}

/**
 * Pieces as a body of Effect's. An adapter hands a body's `text`, where there is one, to its runtime as it is:
 * to the `Response` of the web, or to Node's `ServerResponse`, for which `serverOptions` puts one in place that knows
 * pieces.
 */
class PiecesBody extends HttpBody.Uint8Array {
  constructor(pieces: Pieces, contentType: string) {
    super(undefined, contentType, pieces.sizeBytes, pieces as unknown as string)
  }

  override get body(): Uint8Array {
    return Buffer.concat((this.text as unknown as Pieces).pieces)
  }
}

const asJson = { contentType: "application/json" }

/** A response with a JSON text. */
export const jsonText = (body: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { ...asJson, status })

/** A response with JSON in UTF-8. */
export const jsonBytes = (body: Uint8Array): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, asJson)

const ok = HttpServerResponse.empty({ status: 200 })

/** A response with JSON in pieces. */
export const jsonPieces = (body: Pieces): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setBody(ok, new PiecesBody(body, asJson.contentType))

/** A response with a secret: no cache may store it. */
export const secretJson = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...asJson, status, headers: { "cache-control": "no-store" } })

/** A refusal, in the error shape of the requested version (R2). */
export const errorResponse = (version: ApiVersion, error: ApiError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(errorBody(version, error)), {
    ...asJson,
    status: errorStatus(error),
    headers: errorHeaders(error)
  })

let second = Number.NaN
let text = ""

/** An instant, in milliseconds, as the `Date` header writes it (RFC 9110, 5.6.7). The last one is cached, because many requests share it. */
export const httpDate = (ms: number): string => {
  const its = Math.floor(ms / 1000)
  if (its !== second) {
    text = new Date(its * 1000).toUTCString()
    second = its
  }
  return text
}

/** A larger body is sent as it is: to copy it would cost more than it spares. */
const mostAsText = 16 * 1024

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

  /** The answer counts until the system has all of it, or the connection is gone. */
  private count(sizeBytes: number): void {
    if (!this.destroyed) unsentAnswers.hold(sizeBytes, this.req, (release) => this.once("close", release))
  }

  /** Node joins text with the head of the answer, and sends both at once; bytes beside a head cost it a fifth more. */
  private endWithBytes(bytes: Uint8Array, callback: unknown): this {
    this.strictContentLength = false
    this.count(bytes.length)
    if (bytes.length > mostAsText) return super.end(bytes, callback as never)
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
 * What a Node HTTP server in front of the app is made with. Node answers headers over its own limit of 16 KiB itself, with
 * an empty 431: over-long targets are to reach the app, which answers 414 in the version's shape (R1, R20).
 */
export const serverOptions = { maxHeaderSize: 1024 * 1024, ServerResponse: WholeBodyResponse } as const
