import {
  addRedactions,
  type Capture,
  type CaptureStream,
  type LogHeader,
  type LogLines,
  LogUnreadable,
  limitEvents,
  limitHeader,
  logLinesIn,
  makeRedactor,
  noSiteRedaction,
  type OfferedEvent,
  type Redactions,
  type RedactorOptions,
  takeEvents,
  takeUnseen
} from "@tapedeck/domain/capture"
import type { Sliced } from "@tapedeck/domain/internal/time"
import { Effect, Result, Semaphore } from "effect"
import { inSlices } from "../inSlices.ts"
import { inTransaction, storeOf } from "../store/Store.ts"
import { keepAlive, openCapture } from "./captureJob.ts"
import { maxStreams } from "./limits.ts"
import { packedInTime } from "./storedLog.ts"

/** A batch that was redacted, as far as the log had room for it. */
interface RedactedBatch {
  readonly name: string
  readonly rules: RedactorOptions
  /** Null if the batch begins without a header. */
  readonly head: { readonly header: LogHeader; readonly redactions: Redactions } | null
  readonly events: ReadonlyArray<OfferedEvent>
}

/** The rules of redaction that hold for a capture. */
const rulesFor = Effect.fnUntraced(function* ({ recordingUuid, siteId }: Capture) {
  const store = yield* storeOf("recordings", "sites")
  const site = siteId === null ? undefined : yield* store.sites.byId(siteId)
  const recording = yield* store.recordings.byUuid(recordingUuid)
  const rules: RedactorOptions = {
    ...(site?.redaction ?? noSiteRedaction),
    customerEmail: recording?.customerEmail ?? null
  }
  return rules
})

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

type Seen = CaptureStream["seen"]

/** Returns the numbers of a stream's events that have arrived; fails if the stream cannot begin with this batch. */
const seenOf = (capture: Capture, name: string, hasHeader: boolean): Result.Result<Seen, LogUnreadable> => {
  const known = capture.streams.find((each) => each.name === name)
  if (known !== undefined) return Result.succeed(known.seen)
  const unreadable = (problem: string) => Result.fail(new LogUnreadable({ problem, line: 1 }))
  if (!hasHeader) return unreadable("the first batch of a stream must begin with the header")
  if (capture.streams.length >= maxStreams) return unreadable(`a capture has at most ${maxStreams} streams`)
  return Result.succeed([])
}

/** Redacts the events that are new, and that the log has room for: the log of a capture only grows. Outside of transactions. */
const redacted = Effect.fnUntraced(function* (
  capture: Capture,
  rules: RedactorOptions,
  { events, header, name }: LogLines & { readonly name: string }
) {
  const { unseen } = takeUnseen(yield* Effect.fromResult(seenOf(capture, name, header !== null)), events)
  const redactor = makeRedactor(rules)
  const kept = header && limitHeader(redactor.header(limitHeader(header)))
  const head = kept && { header: kept, redactions: redactor.counts() }
  const batch: RedactedBatch = {
    name,
    rules,
    head,
    events: yield* inSlices(limitEvents(capture.use, unseen, redactor))
  }
  return batch
})

/** The capture with a batch, and the lines that it takes: the header of a new stream, and events. */
const withBatch = (capture: Capture, { events, head, name }: RedactedBatch) =>
  Result.map(seenOf(capture, name, head !== null), (before) => {
    const { seen, unseen } = takeUnseen(before, events)
    const { redactions, taken, use } = takeEvents(capture.use, unseen)
    const newHead = capture.streams.some((each) => each.name === name) ? null : head
    const lines: ReadonlyArray<object> = [
      ...(newHead === null ? [] : [newHead.header]),
      ...taken.map(({ event }) => event)
    ]
    const after: Capture = {
      ...capture,
      use,
      lastPiece: lines.length > 0 ? capture.lastPiece + 1 : capture.lastPiece,
      redactions: addRedactions(capture.redactions, newHead?.redactions ?? {}, redactions),
      streams: [...capture.streams.filter((each) => each.name !== name), { name, seen }]
    }
    return { lines, after }
  })

function* textOf(lines: ReadonlyArray<object>): Sliced<string> {
  const texts: Array<string> = []
  for (const line of lines) {
    const text = JSON.stringify(line)
    texts.push(text)
    yield text.length
  }
  return texts.join("\n")
}

/** A piece that was packed for these lines. */
interface PackedPiece {
  readonly lines: ReadonlyArray<object>
  readonly packed: string
}

/** Writes a batch whose piece still has the lines that the capture takes. Inside the transaction. */
const write = Effect.fnUntraced(function* (captureId: string, batch: RedactedBatch, piece: PackedPiece) {
  const store = yield* storeOf("captures")
  const capture = yield* openCapture(captureId)
  if (!isSame(batch.rules, yield* rulesFor(capture))) return false
  const { after, lines } = yield* Effect.fromResult(withBatch(capture, batch))
  const isStill = lines.length === piece.lines.length && lines.every((line, index) => line === piece.lines[index])
  if (!isStill) return false
  if (lines.length > 0) {
    const sequence = after.lastPiece
    yield* store.captures.addPiece(captureId, { kind: "log", sequence, stream: batch.name, lines: piece.packed })
  }
  yield* store.captures.save(after)
  yield* keepAlive(after)
  return true
})

/**
 * Appends a batch of lines to a stream: all of it, or nothing. The batch is read, redacted and packed in slices before the transaction.
 * If another batch or other rules of redaction arrive in the meantime, the affected part is prepared again.
 */
export const appendLog = Effect.fnUntraced(function* (captureId: string, name: string, text: string) {
  yield* openCapture(captureId)
  const given = { name, ...(yield* Effect.fromResult(yield* inSlices(logLinesIn(text)))) }
  let batch: RedactedBatch | undefined
  for (let isWritten = false; !isWritten; ) {
    const capture = yield* openCapture(captureId)
    const rules = yield* rulesFor(capture)
    if (batch === undefined || !isSame(batch.rules, rules)) batch = yield* redacted(capture, rules, given)
    const { lines } = yield* Effect.fromResult(withBatch(capture, batch))
    const packed = yield* packedInTime(yield* inSlices(textOf(lines)))
    isWritten = yield* inTransaction(write(captureId, batch, { lines, packed }))
  }
})

/** Characters of a batch that waits for no other. Pages send batches of at most this size. */
const maxSmallBatch = 256 * 1024

/** Large batches that are in memory as objects at a time. */
const largeBatches = Semaphore.makeUnsafe(2)

/** Appends a batch when it is its turn: large ones wait for each other. Outside of transactions. */
export const appendLogInTurn = (captureId: string, name: string, text: string) => {
  const append = appendLog(captureId, name, text)
  return text.length <= maxSmallBatch ? append : largeBatches.withPermits(1)(append)
}
