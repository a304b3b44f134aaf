import { type IncomingMessage, ServerResponse } from "node:http"
import { Pieces } from "./Pieces.ts"

/**
 * Effect's server lets Node compare each body with its `Content-Length`, for which Node keeps the end of the answer apart
 * from its body: one more write, and one more turn, for every answer. A body that is handed over at once, whole or in
 * pieces, has the length that was counted from it; streams stay compared.
 */
class WholeBodyResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (chunk instanceof Pieces) return this.endWith(chunk, encoding)
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.strictContentLength = false
    return super.end(chunk as never, encoding as never, callback as never)
  }

  private endWith({ pieces }: Pieces, callback: unknown): this {
    this.strictContentLength = false
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
