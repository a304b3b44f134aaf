import {
  addRedactions,
  type Capture,
  type CaptureStream,
  type LogHeader,
  LogUnreadable,
  limitHeader,
  makeRedactor,
  noSiteRedaction,
  type Redactor,
  readLogLines,
  takeEvents,
  takeUnseen
} from "@tapedeck/domain/capture"
import { Effect, Result } from "effect"
import { storeOf } from "../store/Store.ts"
import { maxStreams } from "./limits.ts"
import { packed } from "./storedLog.ts"
import { alive, openCapture } from "./uploads.ts"

/** The rules of redaction that hold for a capture. */
const redactorFor = Effect.fnUntraced(function* ({ recordingUuid, siteId }: Capture) {
  const store = yield* storeOf("recordings", "sites")
  const site = siteId === null ? undefined : yield* store.sites.byId(siteId)
  const recording = yield* store.recordings.byUuid(recordingUuid)
  return makeRedactor({ ...(site?.redaction ?? noSiteRedaction), customerEmail: recording?.customerEmail ?? null })
})

/** The stream before the batch; `head`: its header, if it is new. */
const streamOf = (capture: Capture, name: string, header: LogHeader | null, redactor: Redactor) => {
  const known = capture.streams.find((each) => each.name === name)
  if (known !== undefined) return Result.succeed({ before: known, head: [] })
  const unreadable = (problem: string) => Result.fail(new LogUnreadable({ problem, line: 1 }))
  if (header === null) return unreadable("the first batch of a stream must begin with the header")
  if (capture.streams.length >= maxStreams) return unreadable(`a capture has at most ${maxStreams} streams`)
  const before: CaptureStream = { name, seen: [] }
  return Result.succeed({ before, head: [limitHeader(redactor.header(limitHeader(header)))] })
}

/** Appends a batch of lines to a stream: all of it, or nothing. Inside the transaction. */
export const appendLog = Effect.fnUntraced(function* (captureId: string, name: string, text: string) {
  const store = yield* storeOf("captures")
  const capture = yield* Effect.flatMap(openCapture(captureId), alive)
  const { events, header } = yield* Effect.fromResult(readLogLines(text))
  const redactor = yield* redactorFor(capture)
  const { before, head } = yield* Effect.fromResult(streamOf(capture, name, header, redactor))
  const { seen, unseen } = takeUnseen(before.seen, events)
  const { taken, use } = takeEvents(capture.use, unseen, redactor.event)
  const lines = [...head, ...taken].map((line) => JSON.stringify(line))
  const sequence = capture.lastPiece + 1
  if (lines.length > 0) {
    const piece = { kind: "log", sequence, stream: name, lines: packed(lines.join("\n")) } as const
    yield* store.captures.addPiece(captureId, piece)
  }
  yield* store.captures.save({
    ...capture,
    use,
    lastPiece: lines.length > 0 ? sequence : capture.lastPiece,
    redactions: addRedactions(capture.redactions, redactor.counts()),
    streams: [...capture.streams.filter((each) => each.name !== name), { name, seen }]
  })
})
