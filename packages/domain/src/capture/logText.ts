import type { Sliced } from "../slices.ts"
import { parseIso } from "../time.ts"
import { type LogLine, logLineOf } from "./LogLine.ts"
import { gapsOf, type LogUse } from "./limitLog.ts"
import type { LogEvent, LogHeader } from "./log.ts"

/** The lines of one writer. */
export interface LogStream {
  readonly name: string
  readonly header: LogHeader
  readonly lines: ReadonlyArray<LogLine>
}

/** A log whose events are lines. */
export interface LogOfLines {
  readonly header: LogHeader
  readonly lines: ReadonlyArray<LogLine>
}

/** Cost of sorting or copying a line, in characters. */
const workPerLine = 10

/**
 * Merges all streams to one log, each in the order of `seq`, with the gaps that limits caused. A single stream keeps its `seq`. Several
 * streams are merged by time, and their events are renumbered from 0. The header is that of the stream `main`, else of the first stream
 * by name; the times of the other streams are shifted to it.
 */
export function* mergedLog(streams: ReadonlyArray<LogStream>, use: LogUse): Sliced<LogOfLines | undefined> {
  const sorted: Array<LogStream> = []
  for (const stream of streams) {
    sorted.push({ ...stream, lines: stream.lines.toSorted((a, b) => a.seq - b.seq) })
    yield workPerLine * stream.lines.length
  }
  sorted.sort((a, b) => (a.name < b.name ? -1 : 1))
  const main = sorted.find(({ name }) => name === "main") ?? sorted[0]
  if (main === undefined) return undefined
  const lines = sorted.length === 1 ? main.lines : yield* merged(sorted, main)
  const last = lines.at(-1) ?? { seq: -1, t: 0 }
  return { header: main.header, lines: [...lines, ...gapsOf(use, last).map(lineOfEvent)] }
}

function* merged(streams: ReadonlyArray<LogStream>, main: LogStream): Sliced<ReadonlyArray<LogLine>> {
  const start = startOf(main)
  const moved: Array<LogLine> = []
  for (const stream of streams) {
    const by = startOf(stream) - start
    for (const line of stream.lines) moved.push(by === 0 ? line : { ...line, t: line.t + by })
    yield workPerLine * stream.lines.length
  }
  // The sort is stable: within a stream and an instant, `seq` decides.
  moved.sort((a, b) => a.t - b.t)
  yield workPerLine * moved.length
  return moved.map((line, seq) => ({ ...line, seq }))
}

const startOf = ({ header }: LogStream): number => parseIso(header.started_at) ?? 0

const lineOfEvent = (event: LogEvent): LogLine => logLineOf(JSON.stringify(event))
