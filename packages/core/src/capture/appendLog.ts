import type { Json } from "@tapedeck/domain"
import {
  addRedactions,
  type Capture,
  type CaptureLog,
  type CapturePiece,
  type LimitedEvent,
  type LogEvent,
  type LogHeader,
  type LogLines,
  LogUnreadable,
  limitEvents,
  limitHeader,
  makeRedactor,
  mergedLog,
  noSiteRedaction,
  type OfferedEvent,
  type Redactions,
  type RedactorOptions,
  readLogLines,
  takeEvents,
  withSeq
} from "@tapedeck/domain/capture"
import type { Sliced } from "@tapedeck/domain/internal"
import { Effect, Result, Semaphore } from "effect"
import { inSlices } from "../inSlices.ts"
import { storeOf } from "../store/Store.ts"
import { maxStreams } from "./limits.ts"
import { packedApart, unpacked } from "./storedLog.ts"
import { alive, openCapture } from "./uploads.ts"

/** A batch that was redacted, as far as the log had room for it. */
interface RedactedBatch {
  readonly name: string
  readonly rules: RedactorOptions
  /** Null: it begins without one. */
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

type Seen = Capture["streams"][number]["seen"]

/** The items whose `seq` has not come before, and the stretches with them. */
const fresh = <Item extends { readonly seq: number }>(before: Seen, items: ReadonlyArray<Item>) => {
  let seen = before
  const added = items.filter(({ seq }) => {
    const after = withSeq(seen, seq)
    if (after !== undefined) seen = after
    return after !== undefined
  })
  return { seen, added }
}

/** The numbers that came of a stream; fails where it cannot begin with this batch. */
const seenOf = (capture: Capture, name: string, hasHeader: boolean): Result.Result<Seen, LogUnreadable> => {
  const known = capture.streams.find((each) => each.name === name)
  if (known !== undefined) return Result.succeed(known.seen)
  const unreadable = (problem: string) => Result.fail(new LogUnreadable({ problem, line: 1 }))
  if (!hasHeader) return unreadable("the first batch of a stream must begin with the header")
  if (capture.streams.length >= maxStreams) return unreadable(`a capture has at most ${maxStreams} streams`)
  return Result.succeed([])
}

/** Redacts what has not come before, and what the log has room for: what a capture has only grows. Outside of transactions. */
const redacted = Effect.fnUntraced(function* (
  capture: Capture,
  rules: RedactorOptions,
  { events, header, name }: LogLines & { readonly name: string }
) {
  const { added } = fresh(yield* Effect.fromResult(seenOf(capture, name, header !== null)), events)
  const redactor = makeRedactor(rules)
  const kept = header && limitHeader(redactor.header(limitHeader(header)))
  const head = kept && { header: kept, redactions: redactor.counts() }
  const batch: RedactedBatch = { name, rules, head, events: yield* inSlices(limitEvents(capture.use, added, redactor)) }
  return batch
})

/** The capture with a batch, and the events that it takes. */
const withBatch = (capture: Capture, { events, head, name }: RedactedBatch) =>
  Result.map(seenOf(capture, name, head !== null), (before) => {
    const { added, seen } = fresh(before, events)
    const { redactions, taken, use } = takeEvents(capture.use, added)
    const known = capture.streams.find((each) => each.name === name)
    const header = known?.header ?? (head!.header as unknown as Json)
    const ofHead = known === undefined ? head!.redactions : {}
    const after: Capture = {
      ...capture,
      use,
      lastPiece: taken.length > 0 ? capture.lastPiece + 1 : capture.lastPiece,
      redactions: addRedactions(capture.redactions, ofHead, redactions),
      streams: [...capture.streams.filter((each) => each.name !== name), { name, header, seen }]
    }
    return { taken, after }
  })

function* linesOf(events: ReadonlyArray<LimitedEvent>): Sliced<string> {
  const lines: Array<string> = []
  for (const { bytes, event } of events) {
    lines.push(JSON.stringify(event))
    yield bytes
  }
  return lines.join("\n")
}

const areSame = (a: ReadonlyArray<LimitedEvent>, b: ReadonlyArray<LimitedEvent>): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])

/** Writes what was prepared, if it is still what the capture takes. Inside the transaction. */
const write = Effect.fnUntraced(function* (
  captureId: string,
  batch: RedactedBatch,
  { events, lines }: { readonly events: ReadonlyArray<LimitedEvent>; readonly lines: string }
) {
  const store = yield* storeOf("captures")
  const capture = yield* Effect.flatMap(openCapture(captureId), alive)
  if (!isSame(batch.rules, yield* rulesFor(capture))) return false
  const { after, taken } = yield* Effect.fromResult(withBatch(capture, batch))
  if (!areSame(taken, events)) return false
  if (taken.length > 0) {
    const sequence = after.lastPiece
    yield* store.captures.addPiece(captureId, { kind: "log", sequence, stream: batch.name, lines })
  }
  yield* store.captures.save(after)
  return true
})

/**
 * Appends a batch of lines to a stream: all of it, or nothing. It is read, redacted and packed in slices before the transaction. If
 * another batch or other rules of redaction come in the meantime, what they change is prepared again.
 */
export const appendLog = Effect.fnUntraced(function* (captureId: string, name: string, text: string) {
  const { transaction } = yield* storeOf("transaction")
  yield* openCapture(captureId)
  const lines = { name, ...(yield* Effect.fromResult(readLogLines(text))) }
  let batch: RedactedBatch | undefined
  for (let isWritten = false; !isWritten; ) {
    const capture = yield* openCapture(captureId)
    const rules = yield* rulesFor(capture)
    if (batch === undefined || !isSame(batch.rules, rules)) batch = yield* redacted(capture, rules, lines)
    const { taken } = yield* Effect.fromResult(withBatch(capture, batch))
    const packed = yield* packedApart(yield* inSlices(linesOf(taken)))
    isWritten = yield* transaction(write(captureId, batch, { events: taken, lines: packed }))
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

type LogPiece = Extract<CapturePiece, { readonly kind: "log" }>

/** The log of all that came, by the streams' names; undefined: none came. */
export const joinedLog = (capture: Capture, pieces: ReadonlyArray<LogPiece>): CaptureLog | undefined => {
  const streams = capture.streams
    .map(({ header, name }) => ({
      name,
      header: header as unknown as LogHeader,
      events: pieces
        .filter(({ stream }) => stream === name)
        .flatMap(({ lines }) => unpacked(lines).split("\n"))
        .map((line) => JSON.parse(line) as LogEvent)
        .sort((a, b) => a.seq - b.seq)
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return mergedLog(streams, capture.use)
}
