import { HttpBody } from "effect/http"

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

  /** All of it, for who knows no pieces: `fetch` makes a response of this. */
  toString(): string {
    return Buffer.concat(this.pieces).toString("utf8")
  }
}

/**
 * Pieces as a body of Effect's. An adapter hands a body's `text`, where there is one, to its runtime as it is:
 * to the `Response` of the web, or to Node's `ServerResponse`, for which `serverOptions` puts one in place that knows
 * pieces.
 */
export class PiecesBody extends HttpBody.Uint8Array {
  constructor(pieces: Pieces, contentType: string) {
    super(undefined, contentType, pieces.sizeBytes, pieces as unknown as string)
  }

  override get body(): Uint8Array {
    return Buffer.concat((this.text as unknown as Pieces).pieces)
  }
}
