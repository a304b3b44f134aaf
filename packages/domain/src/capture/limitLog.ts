import { cutToUtf8Length, utf8Length } from "../utf8.ts"
import {
  type GapEvent,
  type LogEvent,
  type LogHeader,
  type LogHeaders,
  MAX_LOG_BODY_BYTES,
  MAX_LOG_BYTES,
  MAX_LOG_EVENTS,
  MAX_LOG_HEADERS,
  MAX_MESSAGE_BYTES
} from "./log.ts"

/** What limits cut off so far: events, bytes of texts, bytes of bodies, and headers; and how much is kept. */
export interface LogUse {
  readonly events: number
  readonly bytes: number
  /** Events beyond the maximum number, and beyond the bytes of a log. */
  readonly beyondEvents: number
  readonly beyondBytes: number
  /** Bytes of texts and of bodies that were cut. */
  readonly cutText: number
  readonly cutBody: number
  readonly cutHeaders: number
}

export const noLogUse: LogUse = {
  events: 0,
  bytes: 0,
  beyondEvents: 0,
  beyondBytes: 0,
  cutText: 0,
  cutBody: 0,
  cutHeaders: 0
}

/** The reasons of gaps that limits make, and what `dropped` counts: events, UTF-8 bytes, or headers. */
const gapReasons = [
  ["max_events", "beyondEvents"],
  ["max_bytes", "beyondBytes"],
  ["max_message_bytes", "cutText"],
  ["max_body_bytes", "cutBody"],
  ["max_headers", "cutHeaders"]
] as const

/**
 * The events that a log of this use has room for, redacted, each within its limits, and the use with them. A text far beyond its
 * limit is cut before it is redacted, too, so that a line takes bounded time.
 */
export const takeEvents = (
  before: LogUse,
  events: ReadonlyArray<LogEvent>,
  redact: (event: LogEvent) => LogEvent
): { readonly taken: ReadonlyArray<LogEvent>; readonly use: LogUse } => {
  const use: { -readonly [Key in keyof LogUse]: number } = { ...before }
  const taken: Array<LogEvent> = []
  for (const event of events) {
    if (use.events >= MAX_LOG_EVENTS) {
      use.beyondEvents++
      continue
    }
    const cut = { text: 0, body: 0, headers: 0 }
    const limited = limitEvent(redact(limitEvent(event, 2, cut)), 1, cut)
    const bytes = utf8Length(JSON.stringify(limited)) + 1
    if (use.bytes + bytes > MAX_LOG_BYTES) {
      use.beyondBytes++
      continue
    }
    use.events++
    use.bytes += bytes
    use.cutText += cut.text
    use.cutBody += cut.body
    use.cutHeaders += cut.headers
    taken.push(limited)
  }
  return { taken, use }
}

/** The header, each text within its limit. */
export const limitHeader = (header: LogHeader): LogHeader => {
  const cut = (text: string) => cutToUtf8Length(text, MAX_MESSAGE_BYTES)
  return {
    ...header,
    page: { url: cut(header.page.url), title: cut(header.page.title) },
    user_agent: cut(header.user_agent),
    timezone: cutToUtf8Length(header.timezone, 255),
    language: cutToUtf8Length(header.language, 255)
  }
}

/** The gaps that say what limits cut off, after the log's last event. */
export const gapsOf = (use: LogUse, last: { readonly seq: number; readonly t: number }): ReadonlyArray<GapEvent> =>
  gapReasons
    .filter(([, count]) => use[count] > 0)
    .map(([reason, count], index) => ({
      seq: last.seq + 1 + index,
      t: last.t,
      kind: "gap",
      reason,
      dropped: use[count]
    }))

interface Cut {
  text: number
  body: number
  headers: number
}

const limitEvent = (event: LogEvent, times: number, cut: Cut): LogEvent => {
  const limited: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(event)) {
    if (typeof value === "string") {
      const isBody = key === "request_body" || key === "response_body"
      limited[key] = cutTo(value, times * (isBody ? MAX_LOG_BODY_BYTES : MAX_MESSAGE_BYTES), (bytes) => {
        cut[isBody ? "body" : "text"] += bytes
      })
    } else limited[key] = typeof value === "object" ? limitHeaders(value, times, cut) : value
  }
  return limited as unknown as LogEvent
}

const limitHeaders = (headers: LogHeaders, times: number, cut: Cut): LogHeaders => {
  const entries = Object.entries(headers)
  cut.headers += Math.max(0, entries.length - MAX_LOG_HEADERS)
  const add = (bytes: number) => {
    cut.text += bytes
  }
  return Object.fromEntries(
    entries
      .slice(0, MAX_LOG_HEADERS)
      .map(([name, value]) => [cutTo(name, 255, add), cutTo(value, times * MAX_MESSAGE_BYTES, add)])
  )
}

const cutTo = (text: string, maxBytes: number, cut: (bytes: number) => void): string => {
  const kept = cutToUtf8Length(text, maxBytes)
  if (kept !== text) cut(utf8Length(text) - utf8Length(kept))
  return kept
}
