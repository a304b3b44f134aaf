import {
  type Capture,
  type CapturePiece,
  type LogHeader,
  type LogLine,
  logLineOf,
  mergedLog
} from "@tapedeck/domain/capture"
import type { Sliced } from "@tapedeck/domain/internal/time"
import { Effect } from "effect"
import { inSlices } from "../inSlices.ts"
import { storeOf } from "../store/Store.ts"
import { packLog, unpacked } from "./storedLog.ts"

/** Pieces that are read at a time. */
const piecesAtOnce = 500

type LogPiece = Extract<CapturePiece, { readonly kind: "log" }>

interface JoinedStream {
  readonly name: string
  /** Undefined until the first piece is read. */
  header: LogHeader | undefined
  readonly lines: Array<LogLine>
}

/** Work that each piece takes in addition to its characters, in characters. */
const workPerPiece = 1_000

function* addPieces(streams: ReadonlyMap<string, JoinedStream>, pieces: ReadonlyArray<LogPiece>): Sliced<void> {
  for (const piece of pieces) {
    const stream = streams.get(piece.stream)
    if (stream === undefined) continue
    const text = unpacked(piece.lines)
    const lines = text.split("\n")
    stream.header ??= JSON.parse(lines.shift()!) as LogHeader
    for (const line of lines) stream.lines.push(logLineOf(line))
    yield text.length + workPerPiece
  }
}

/**
 * The log of all that came of a capture that takes no more; undefined: none came. Pieces are read some at a time, and other fibers run
 * in between. Belongs outside of transactions.
 */
export const joinLog = Effect.fnUntraced(function* (capture: Capture) {
  const { captures } = yield* storeOf("captures")
  const streams = new Map<string, JoinedStream>(
    capture.streams.map(({ name }) => [name, { name, header: undefined, lines: [] }])
  )
  let pieces: ReadonlyArray<LogPiece> = []
  do {
    const after = pieces.at(-1)?.sequence ?? 0
    pieces = yield* captures.pieces(capture.id, "log", { after, limit: piecesAtOnce })
    yield* inSlices(addPieces(streams, pieces))
  } while (pieces.length === piecesAtOnce)
  const read = [...streams.values()].flatMap(({ header, ...stream }) =>
    header === undefined ? [] : [{ ...stream, header }]
  )
  const log = yield* inSlices(mergedLog(read, capture.use))
  return log === undefined ? undefined : yield* packLog(log)
})
