import { ServiceUnavailable } from "@tapedeck/contract"
import { Effect, Semaphore } from "effect"
import type { HttpServerResponse } from "effect/http"
import { SharedBudget, UNCOUNTED_BYTES } from "./SharedBudget.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Memory that streams hold as long as they are read. */
const heldByStreams = new WeakMap<Response["body"], number>()

/** Marks a response whose stream holds this many bytes in memory. They count like those of a whole answer. */
export const holding = (response: Response, sizeBytes: number): Response => {
  heldByStreams.set(response.body, sizeBytes)
  return response
}

const sizeOf = ({ body }: Response): number =>
  body._tag === "Uint8Array" ? body.contentLength : (heldByStreams.get(body) ?? 0)

/**
 * Counts the bytes of whole answers that Node has and clients have not read yet, and those that streams hold until they are read. Small
 * answers are not counted.
 */
export class AnswerMemory {
  private readonly budget: SharedBudget
  /** The callers of requests whose answers count. */
  private readonly callers = new WeakMap<object, string>()
  /** The bytes that the streams of requests hold. */
  private readonly streams = new WeakMap<object, number>()
  /** Number of answers that were ended because others needed the memory. */
  ended = 0
  /** Functions that end the answers that exceed the share of their caller. */
  private readonly larger = new Set<() => void>()

  constructor(maxBytes: number) {
    this.budget = new SharedBudget(maxBytes)
  }

  get maxBytes(): number {
    return this.budget.maxBytes
  }

  get heldBytes(): number {
    return this.budget.heldBytes
  }

  /** Returns whether the answer to a request may be held besides the others. */
  admits(response: Response, caller: string, source: object): boolean {
    const sizeBytes = sizeOf(response)
    if (sizeBytes <= UNCOUNTED_BYTES) return true
    if (!this.fits(caller, sizeBytes)) return false
    this.callers.set(source, caller)
    if (response.body._tag === "Stream") this.streams.set(source, sizeBytes)
    return true
  }

  /**
   * A caller may have one answer that is larger than its share, where there is room for it, or where it is the only one. It lasts
   * until the room is needed for answers within the share of their callers.
   */
  private fits(caller: string, sizeBytes: number): boolean {
    const { budget } = this
    if (!budget.isInShare(caller, sizeBytes))
      return budget.heldBytes === 0 || (budget.heldBy(caller) === 0 && budget.hasRoomFor(sizeBytes))
    for (const end of this.larger) if (!budget.hasRoomFor(sizeBytes)) end()
    return budget.hasRoomFor(sizeBytes)
  }

  /** The bytes that the stream that answers a request holds; 0: none, or it is no stream. */
  heldByStream(source: object): number {
    return this.streams.get(source) ?? 0
  }

  /** Counts the answer to a request until it is sent, or until `end` was called because it is larger than its caller's share. */
  hold(sizeBytes: number, source: object, { end, onceSent }: HeldAnswer): void {
    if (sizeBytes <= UNCOUNTED_BYTES) return
    const caller = this.callers.get(source) ?? ""
    const isLarger = !this.budget.isInShare(caller, sizeBytes)
    this.budget.hold(caller, sizeBytes)
    const release = () => {
      if (isReleased) return
      isReleased = true
      this.larger.delete(endNow)
      this.budget.release(caller, sizeBytes)
    }
    const endNow = () => {
      this.ended++
      release()
      end()
    }
    let isReleased = false
    if (isLarger) this.larger.add(endNow)
    onceSent(release)
  }
}

interface HeldAnswer {
  /** Calls back when the system has all of the answer, or the connection is gone. */
  readonly onceSent: (release: () => void) => void
  /** Ends the answer and its connection. */
  readonly end: () => void
}

const unitBytes = 64 * 1024
const maxKnownPages = 10_000

/**
 * Limits the bytes of the pages of lists that are made at a time; the data that a store reads for them is not counted elsewhere. A
 * page counts as many bytes as it had the last time, and half of all if that is unknown.
 */
export class PageGate {
  private readonly units: number
  private readonly permits: Semaphore.Semaphore
  /** Units of the pages that were made last, the oldest first. */
  private readonly known = new Map<string, number>()

  constructor(maxBytes: number) {
    this.units = Math.floor(maxBytes / unitBytes)
    this.permits = Semaphore.makeUnsafe(this.units)
  }

  /** Makes a page when it is its turn. */
  inTurn<E, R>(key: string, page: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> {
    return Effect.suspend(() => {
      const units = this.known.get(key) ?? this.atMost(this.units)
      return this.permits.withPermits(units)(Effect.tap(page, (made) => Effect.sync(() => this.note(key, made))))
    })
  }

  private atMost(units: number): number {
    return Math.max(1, Math.min(units, Math.floor(this.units / 2)))
  }

  private note(key: string, made: Response): void {
    this.known.delete(key)
    this.known.set(key, this.atMost(Math.ceil(sizeOf(made) / unitBytes)))
    const [oldest] = this.known.keys()
    if (this.known.size > maxKnownPages && oldest !== undefined) this.known.delete(oldest)
  }
}

/** The gate of the process. */
export const pageGate = new PageGate(32 * 1024 * 1024)

/** Maximum number of parts of public pages that are rendered at a time. */
const maxPartsAtOnce = 2

const parts = Semaphore.makeUnsafe(maxPartsAtOnce)

/**
 * Makes a part of a public page when it is its turn. Each part waits for a turn of its own, and other requests run between two
 * parts: visitors without an account do not delay them, however many there are and however long the transcript is.
 */
export const partInTurn = <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  parts.withPermits(1)(Effect.andThen(Effect.yieldNow, part))

/** The answers of the process, whose memory they share. */
export const unsentAnswers = new AnswerMemory(64 * 1024 * 1024)

export const tooManyUnsent = new ServiceUnavailable({
  message: "The server holds as many answers that are not read as it has memory for",
  retryAfterSeconds: 1
})
