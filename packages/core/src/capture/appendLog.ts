import type { Json } from "@tapedeck/domain"
import {
  addRedactions,
  type Capture,
  type CaptureLog,
  type CapturePiece,
  type CaptureStream,
  type LogEvent,
  type LogHeader,
  LogUnreadable,
  limitHeader,
  makeRedactor,
  mergedLog,
  noSiteRedaction,
  type Redactor,
  readLogLines,
  takeEvents,
  withSeq
} from "@tapedeck/domain/capture"
import { Effect, Result } from "effect"
import { storeOf } from "../store/Store.ts"
import { maxStreams } from "./limits.ts"
import { packed, unpacked } from "./storedLog.ts"
import { alive, openCapture } from "./uploads.ts"

/** The rules of redaction that hold for a capture. */
const redactorFor = Effect.fnUntraced(function* ({ recordingUuid, siteId }: Capture) {
  const store = yield* storeOf("recordings", "sites")
  const site = siteId === null ? undefined : yield* store.sites.byId(siteId)
  const recording = yield* store.recordings.byUuid(recordingUuid)
  return makeRedactor({ ...(site?.redaction ?? noSiteRedaction), customerEmail: recording?.customerEmail ?? null })
})

/** The stream, with the events of a batch that have not come before. */
const fresh = (before: CaptureStream, events: ReadonlyArray<LogEvent>) => {
  let { seen } = before
  const added = events.filter(({ seq }) => {
    const after = withSeq(seen, seq)
    if (after !== undefined) seen = after
    return after !== undefined
  })
  return { stream: { ...before, seen }, added }
}

const streamOf = (capture: Capture, name: string, header: LogHeader | null, redactor: Redactor) => {
  const known = capture.streams.find((each) => each.name === name)
  if (known !== undefined) return Result.succeed(known)
  const unreadable = (problem: string) => Result.fail(new LogUnreadable({ problem, line: 1 }))
  if (header === null) return unreadable("the first batch of a stream must begin with the header")
  if (capture.streams.length >= maxStreams) return unreadable(`a capture has at most ${maxStreams} streams`)
  const kept = limitHeader(redactor.header(limitHeader(header)))
  return Result.succeed<CaptureStream>({ name, header: kept as unknown as Json, seen: [] })
}

/** Appends a batch of lines to a stream: all of it, or nothing. Inside the transaction. */
export const appendLog = Effect.fnUntraced(function* (captureId: string, name: string, text: string) {
  const store = yield* storeOf("captures")
  const capture = yield* Effect.flatMap(openCapture(captureId), alive)
  const { events, header } = yield* Effect.fromResult(readLogLines(text))
  const redactor = yield* redactorFor(capture)
  const { added, stream } = fresh(yield* Effect.fromResult(streamOf(capture, name, header, redactor)), events)
  const { taken, use } = takeEvents(capture.use, added, redactor.event)
  const sequence = capture.lastPiece + 1
  if (taken.length > 0) {
    const lines = packed(taken.map((event) => JSON.stringify(event)).join("\n"))
    yield* store.captures.addPiece(captureId, { kind: "log", sequence, stream: name, lines })
  }
  yield* store.captures.save({
    ...capture,
    use,
    lastPiece: taken.length > 0 ? sequence : capture.lastPiece,
    redactions: addRedactions(capture.redactions, redactor.counts()),
    streams: [...capture.streams.filter((each) => each.name !== name), stream]
  })
})

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
