import { ServiceUnavailable } from "@tapedeck/contract"
import { Effect, Semaphore } from "effect"
import type { HttpServerResponse } from "effect/http"

/** An answer up to this size is not counted: as many as there can be connections take little. */
const MAX_UNCOUNTED_BYTES = 16 * 1024

/** Counts the bytes of whole answers that were given to Node and that clients have not read yet. */
export class AnswerMemory {
  readonly maxBytes: number
  heldBytes = 0
  /** Whether an answer was refused since the last one was read: until then no other page is made, for it would be refused too. */
  isFull = false

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Whether an answer may be held besides the others. One alone always may. */
  admits(response: HttpServerResponse.HttpServerResponse): boolean {
    const { body } = response
    const sizeBytes = body._tag === "Uint8Array" ? body.contentLength : 0
    if (sizeBytes <= MAX_UNCOUNTED_BYTES || this.heldBytes === 0) return true
    if (this.heldBytes + sizeBytes <= this.maxBytes) return true
    this.isFull = true
    return false
  }

  /** Counts an answer until `release` is called. */
  hold(sizeBytes: number, onceSent: (release: () => void) => void): void {
    if (sizeBytes <= MAX_UNCOUNTED_BYTES) return
    this.heldBytes += sizeBytes
    onceSent(() => {
      this.heldBytes -= sizeBytes
      this.isFull = false
    })
  }
}

/** Pages that are made at a time; what a store reads for them is no answer yet, and not counted. */
const maxPagesAtOnce = 2

const pages = Semaphore.makeUnsafe(maxPagesAtOnce)

/** Makes a page when it is its turn, unless the memory is full by then. */
export const inTurn = <A, E, R>(page: Effect.Effect<A, E, R>): Effect.Effect<A, E | ServiceUnavailable, R> =>
  pages.withPermits(1)(
    Effect.suspend(
      (): Effect.Effect<A, E | ServiceUnavailable, R> => (unsentAnswers.isFull ? Effect.fail(tooManyUnsent) : page)
    )
  )

/** Parts of public pages that are made at a time. */
const maxPartsAtOnce = 2

const parts = Semaphore.makeUnsafe(maxPartsAtOnce)

/**
 * Makes a part of a public page when it is its turn. Each part waits for a turn of its own, and other requests run between two
 * parts: visitors without an account do not delay them, however many there are and however long the transcript is.
 */
export const partInTurn = <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  parts.withPermits(1)(Effect.andThen(Effect.yieldNow, part))

/** One for the process, as its memory is. */
export const unsentAnswers = new AnswerMemory(64 * 1024 * 1024)

export const tooManyUnsent = new ServiceUnavailable({
  message: "The server holds as many answers that are not read as it has memory for",
  retryAfterSeconds: 1
})
