import type { Sliced } from "../slices.ts"
import { eventOfLine, kindOfLine, type LogLine } from "./LogLine.ts"
import type { LogEvent } from "./log.ts"
import type { LogOfLines } from "./logText.ts"
import { browserOf, systemOf } from "./userAgent.ts"

/** Maximum lengths of a recording's fields, in characters; of lists, as JSON. */
const maxConsoleCharacters = 65_536
const maxListCharacters = 1_000_000

/** An entry of `network_errors`. */
export interface NetworkError {
  readonly url: string
  readonly method: string
  readonly status: number
  readonly error: string | null
}

/** Values of a recording's fields that are derived from its log, if the fields were not set. Null if the log gives no value. */
export interface LogSummary {
  /** One line for each console or error event: `[level] message`. */
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

/** Collects items up to a number of characters, including separators. After the first item that does not fit, it accepts no more. */
class Within<Item> {
  readonly items: Array<Item> = []
  isFull = false
  private left: number

  constructor(maxCharacters: number) {
    this.left = maxCharacters
  }

  add(item: Item, characters: number): void {
    this.left -= characters + 1
    if (this.left < 0) this.isFull = true
    if (!this.isFull) this.items.push(item)
  }
}

const jsonLength = (item: unknown): number => JSON.stringify(item).length

/** Returns the summary of a log. Lines that add nothing to it are not parsed. */
export function* summaryOf({ header, lines }: LogOfLines): Sliced<LogSummary> {
  const consoleLines = new Within<string>(maxConsoleCharacters)
  const errors = new Within<string>(maxListCharacters - 2)
  const failed = new Within<NetworkError>(maxListCharacters - 2)
  const add = (event: LogEvent) => {
    if (event.kind === "console" || event.kind === "error") {
      const level = event.kind === "error" ? "error" : event.level
      const message = oneLine(event.message)
      consoleLines.add(`[${level}] ${message}`, level.length + message.length + 3)
      if (level === "error") errors.add(message, jsonLength(message))
    } else if (event.kind === "network" && (event.status === 0 || event.status >= 400)) {
      const { error = null, method, status, url } = event
      const request = { url, method, status, error }
      failed.add(request, jsonLength(request))
    }
  }
  const follows = (line: LogLine): boolean => {
    const kind = kindOfLine(line)
    if (kind === "network") return !failed.isFull
    return (kind === "console" || kind === "error") && !(consoleLines.isFull && errors.isFull)
  }
  for (const line of lines) {
    if (follows(line)) add(eventOfLine(line))
    yield line.rest.length
  }
  return {
    consoleLogs: consoleLines.items.length > 0 || consoleLines.isFull ? consoleLines.items.join("\n") : null,
    consoleErrors: errors.items,
    networkErrors: failed.items,
    browser: browserOf(header.user_agent),
    os: systemOf(header.user_agent),
    timezone: header.timezone === "" ? null : header.timezone
  }
}
