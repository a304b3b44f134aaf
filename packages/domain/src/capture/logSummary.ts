import type { CaptureLog, LogEvent } from "./log.ts"
import { browserOf, systemOf } from "./userAgent.ts"

/** Limits of a recording's fields, in characters; of lists, as JSON. */
const maxConsoleCharacters = 65_536
const maxListCharacters = 1_000_000

/** An entry of `network_errors`. */
export interface NetworkError {
  readonly url: string
  readonly method: string
  readonly status: number
  readonly error: string | null
}

/** What follows from a log for the fields of its recording, unless they were given. Null: nothing does. */
export interface LogSummary {
  /** One line an event of console and error: `[level] message`. */
  readonly consoleLogs: string | null
  readonly consoleErrors: ReadonlyArray<string>
  /** Requests with a status ≥ 400, or without a response. */
  readonly networkErrors: ReadonlyArray<NetworkError>
  readonly browser: string | null
  readonly os: string | null
  readonly timezone: string | null
}

const breaks = /[\r\n]+/g

const oneLine = (text: string): string => text.replace(breaks, " ")

const consoleLine = (event: LogEvent): string | undefined => {
  if (event.kind === "console") return `[${event.level}] ${oneLine(event.message)}`
  return event.kind === "error" ? `[error] ${oneLine(event.message)}` : undefined
}

const isConsoleError = (event: LogEvent): boolean =>
  event.kind === "error" || (event.kind === "console" && event.level === "error")

/** Items up to so many characters, the separators between them included. */
const within = <Item>(items: Iterable<Item>, max: number, length: (item: Item) => number): ReadonlyArray<Item> => {
  const kept: Array<Item> = []
  let left = max
  for (const item of items) {
    left -= length(item) + 1
    if (left < 0) break
    kept.push(item)
  }
  return kept
}

const jsonLength = (item: unknown): number => JSON.stringify(item).length

export const summaryOf = ({ events, header }: CaptureLog): LogSummary => {
  const lines = events.map(consoleLine).filter((line) => line !== undefined)
  const errors = events.flatMap((event) =>
    isConsoleError(event) && "message" in event ? [oneLine(event.message)] : []
  )
  const failed = events.flatMap((event) =>
    event.kind === "network" && (event.status === 0 || event.status >= 400)
      ? [{ url: event.url, method: event.method, status: event.status, error: event.error ?? null }]
      : []
  )
  return {
    consoleLogs: lines.length === 0 ? null : within(lines, maxConsoleCharacters, ({ length }) => length).join("\n"),
    consoleErrors: within(errors, maxListCharacters - 2, jsonLength),
    networkErrors: within(failed, maxListCharacters - 2, jsonLength),
    browser: browserOf(header.user_agent),
    os: systemOf(header.user_agent),
    timezone: header.timezone === "" ? null : header.timezone
  }
}
