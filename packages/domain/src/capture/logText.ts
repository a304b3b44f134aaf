import { gapsOf, type LogUse } from "./limitLog.ts"
import type { CaptureLog, LogEvent, LogHeader } from "./log.ts"

/** The events of one writer, by `seq`. */
export interface LogStream {
  readonly name: string
  readonly header: LogHeader
  readonly events: ReadonlyArray<LogEvent>
}

/**
 * One log of all streams, with the gaps that limits made. One stream keeps its `seq`. Several are merged by time, and their events
 * are numbered anew; the header is that of the stream `main`, else of the first, and the times of others are moved to it.
 */
export const mergedLog = (streams: ReadonlyArray<LogStream>, use: LogUse): CaptureLog | undefined => {
  const main = streams.find(({ name }) => name === "main") ?? streams[0]
  if (main === undefined) return undefined
  const events = streams.length === 1 ? main.events : merged(streams, main)
  const last = events.at(-1) ?? { seq: -1, t: 0 }
  return { header: main.header, events: [...events, ...gapsOf(use, last)] }
}

const merged = (streams: ReadonlyArray<LogStream>, main: LogStream): ReadonlyArray<LogEvent> => {
  const start = Date.parse(main.header.started_at)
  const moved = streams.map(({ events, header }) => {
    const by = Date.parse(header.started_at) - start
    return by === 0 ? events : events.map((event) => ({ ...event, t: event.t + by }))
  })
  // The sort is stable: within a stream and an instant, `seq` decides.
  return moved
    .flat()
    .sort((a, b) => a.t - b.t)
    .map((event, seq) => ({ ...event, seq }))
}

/** The log as JSON Lines, each line ended. */
export const logText = ({ events, header }: CaptureLog): string =>
  `${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`
