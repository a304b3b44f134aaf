import type { LogEvent } from "./log.ts"

/** A line of a stored log, parsed only as far as its order needs: every event is written with `seq`, `t` and `kind` first. */
export interface LogLine {
  readonly seq: number
  readonly t: number
  /** The line after `t`. */
  readonly rest: string
}

const beginOfLine = /^\{"seq":(\d{1,16}),"t":(-?\d{1,16}),/

const kindOfRest = /^"kind":"([a-z]{1,16})"/

/** Reads a line of a stored log. */
export const logLineOf = (text: string): LogLine => {
  const match = beginOfLine.exec(text)
  if (match !== null) return { seq: Number(match[1]), t: Number(match[2]), rest: text.slice(match[0].length) }
  const { seq, t, ...event } = JSON.parse(text) as LogEvent
  return { seq, t, rest: JSON.stringify(event).slice(1) }
}

export const textOfLine = ({ rest, seq, t }: LogLine): string => `{"seq":${seq},"t":${t},${rest}`

export const eventOfLine = (line: LogLine): LogEvent => JSON.parse(textOfLine(line)) as LogEvent

/** The kind of a line's event. */
export const kindOfLine = (line: LogLine): LogEvent["kind"] =>
  (kindOfRest.exec(line.rest)?.[1] as LogEvent["kind"] | undefined) ?? eventOfLine(line).kind
