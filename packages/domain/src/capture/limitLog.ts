import type { Sliced } from "../slices.ts"
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
import { addRedactions, subtractRedactions } from "./RedactionCounts.ts"
import type { Redactor } from "./redact/redactor.ts"
import type { Redactions } from "./redact/rules.ts"

/** Use of a log: the amount that is stored, and the amount that limits cut off, in events, bytes of texts, bytes of bodies, and headers. */
export interface LogUse {
  readonly events: number
  readonly bytes: number
  /** Number of events beyond the maximum number, and beyond the maximum size of a log. */
  readonly beyondEvents: number
  readonly beyondBytes: number
  /** Number of bytes that were cut from texts and from bodies. */
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

/** Reasons of gaps that limits cause, and the unit of `dropped`: events, UTF-8 bytes, or headers. */
const gapReasons = [
  ["max_events", "beyondEvents"],
  ["max_bytes", "beyondBytes"],
  ["max_message_bytes", "cutText"],
  ["max_body_bytes", "cutBody"],
  ["max_headers", "cutHeaders"]
] as const

/** An event of a log: redacted, with each text within its limit. */
export interface LimitedEvent {
  readonly event: LogEvent
  /** Size of its line with the line break. */
  readonly bytes: number
  readonly cut: Readonly<Cut>
  /** Redactions of the event; null for none. */
  readonly redactions: Redactions | null
}

/** An event of a batch. `limited` is null if the log was full before the event was redacted. */
export interface OfferedEvent {
  readonly seq: number
  readonly limited: LimitedEvent | null
}

/** The events of a batch that a log accepts, their redactions, and the use of the log after them. */
export interface TakenEvents {
  readonly taken: ReadonlyArray<LimitedEvent>
  readonly use: LogUse
  readonly redactions: Redactions
}

/** Cost of an event besides its texts, in characters. */
const workPerEvent = 1_000

/**
 * Redacts the events of a batch, as far as a log with this use has room for them; the use of a log only grows. A text far beyond its
 * limit is also cut before it is redacted, so that the time for a line is bounded.
 */
export function* limitEvents(
  before: LogUse,
  events: ReadonlyArray<LogEvent>,
  redactor: Redactor
): Sliced<ReadonlyArray<OfferedEvent>> {
  const offered: Array<OfferedEvent> = []
  const use: Room = { ...before }
  for (const event of events) {
    yield workPerEvent
    const one = isFull(use) ? null : yield* limited(event, redactor)
    if (one !== null) take(use, one.bytes)
    offered.push({ seq: event.seq, limited: one })
  }
  return offered
}

function* limited(given: LogEvent, redactor: Redactor): Sliced<LimitedEvent> {
  const cut: Cut = { text: 0, body: 0, headers: 0 }
  const earlier = redactor.counts()
  const event = limitEvent(yield* redactor.slicedEvent(limitEvent(given, MAX_MESSAGE_BYTES, cut)), 0, cut)
  const counts = redactor.counts()
  const redactions = counts === earlier ? null : subtractRedactions(counts, earlier)
  return { event, bytes: utf8Length(JSON.stringify(event)) + 1, cut, redactions }
}

type Room = { -readonly [Key in keyof LogUse]: number }

/** Returns whether a log is full. After the first event that does not fit, a log accepts no more, so that it has no holes. */
export const isFull = ({ beyondBytes, events }: LogUse): boolean => events >= MAX_LOG_EVENTS || beyondBytes > 0

/** Returns the events of a batch for which a log with this use has room. */
export const takeEvents = (before: LogUse, offered: ReadonlyArray<OfferedEvent>): TakenEvents => {
  const use: Room = { ...before }
  const taken: Array<LimitedEvent> = []
  let redactions: Redactions = {}
  for (const { limited } of offered) {
    if (use.events >= MAX_LOG_EVENTS) use.beyondEvents++
    else if (limited === null) use.beyondBytes++
    else if (take(use, limited.bytes)) {
      use.cutText += limited.cut.text
      use.cutBody += limited.cut.body
      use.cutHeaders += limited.cut.headers
      if (limited.redactions !== null) redactions = addRedactions(redactions, limited.redactions)
      taken.push(limited)
    }
  }
  return { taken, use, redactions }
}

/** Adds the size of an event to the use. Returns false if the log has no room for the event. */
const take = (use: Room, bytes: number): boolean => {
  if (isFull(use) || use.bytes + bytes > MAX_LOG_BYTES) {
    use.beyondBytes++
    return false
  }
  use.events++
  use.bytes += bytes
  return true
}

/** Cuts each text of the header to its limit. */
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

/** Returns the gaps that record the amounts that limits cut off, after the last event of the log. */
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

/** Cuts each text of an event to its limit plus `spare` bytes. */
const limitEvent = (event: LogEvent, spare: number, cut: Cut): LogEvent => {
  const limited: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(event)) {
    if (typeof value === "string") {
      const isBody = key === "request_body" || key === "response_body"
      limited[key] = cutTo(value, spare + (isBody ? MAX_LOG_BODY_BYTES : MAX_MESSAGE_BYTES), (bytes) => {
        cut[isBody ? "body" : "text"] += bytes
      })
    } else limited[key] = typeof value === "object" ? limitHeaders(value, spare, cut) : value
  }
  return limited as unknown as LogEvent
}

const limitHeaders = (headers: LogHeaders, spare: number, cut: Cut): LogHeaders => {
  const entries = Object.entries(headers)
  cut.headers += Math.max(0, entries.length - MAX_LOG_HEADERS)
  const add = (bytes: number) => {
    cut.text += bytes
  }
  return Object.fromEntries(
    entries
      .slice(0, MAX_LOG_HEADERS)
      .map(([name, value]) => [cutTo(name, 255, add), cutTo(value, spare + MAX_MESSAGE_BYTES, add)])
  )
}

const cutTo = (text: string, maxBytes: number, cut: (bytes: number) => void): string => {
  const kept = cutToUtf8Length(text, maxBytes)
  if (kept !== text) cut(utf8Length(text) - utf8Length(kept))
  return kept
}
