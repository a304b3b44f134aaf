import { type IncomingMessage, ServerResponse } from "node:http"
import { unsentAnswers } from "../pipeline/unsentAnswers.ts"
import { Pieces } from "../responses.ts"

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
