import type { LogEvent, LogHeader, NetworkEvent } from "@tapedeck/domain/capture"

/** An event as the list shows it. */
export interface LogRow {
  readonly event: LogEvent
  /** The event in one line. */
  readonly text: string
  /** Text by which a search finds the event, in lower case. */
  readonly words: string
  readonly isError: boolean
}

/** Maximum length of a line in the list, in characters, because a browser lays out long lines slowly. */
const maxText = 400

export const isFailed = ({ status }: NetworkEvent): boolean => status === 0 || status >= 400

const isErrorEvent = (event: LogEvent): boolean => {
  switch (event.kind) {
    case "error":
      return true
    case "console":
      return event.level === "error"
    case "network":
      return isFailed(event)
    default:
      return false
  }
}

const textOf = (event: LogEvent): string => {
  switch (event.kind) {
    case "console":
    case "error":
      return event.message
    case "network":
      return `${event.method} ${event.url}${event.error === undefined ? "" : ` ${event.error}`}`
    case "navigation":
      return `${event.url} ${event.title}`
    case "mark":
      return event.text
    case "gap":
      return `${event.dropped.toLocaleString("en")} left out: ${event.reason}`
    default:
      return event.target
  }
}

const rowOf = (event: LogEvent): LogRow => {
  const text = textOf(event)
  const words = text.toLowerCase()
  return {
    event,
    text: text.length > maxText ? `${text.slice(0, maxText)} …` : text,
    words,
    isError: isErrorEvent(event)
  }
}

/** Number of lines that are parsed at a time. The page can draw and react in between. */
const linesInPiece = 2_000

const pause = () => new Promise<void>((resolve) => setTimeout(resolve))

/** A log: where it was captured, and its events by time. */
export interface CaptureLog {
  readonly header: LogHeader | null
  readonly rows: ReadonlyArray<LogRow>
}

/** Reads a log in JSON Lines, parsed while the bytes arrive. The first line is the header. */
export const readLog = async (body: ReadableStream<Uint8Array>): Promise<CaptureLog> => {
  const rows: Array<LogRow> = []
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let header: LogHeader | null = null
  let rest = ""
  const take = async (lines: ReadonlyArray<string>) => {
    for (const [index, line] of lines.entries()) {
      if (index > 0 && index % linesInPiece === 0) await pause()
      if (line === "") continue
      if (header === null) header = JSON.parse(line) as LogHeader
      else rows.push(rowOf(JSON.parse(line) as LogEvent))
    }
  }
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n")
    rest = lines.pop() ?? ""
    await take(lines)
  }
  await take([rest])
  rows.sort((a, b) => a.event.t - b.event.t || a.event.seq - b.event.seq)
  return { header, rows }
}

/** Returns the index of the last row at this time or before; -1 before the first. */
export const indexAt = (rows: ReadonlyArray<LogRow>, ms: number): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.event.t ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return low - 1
}
