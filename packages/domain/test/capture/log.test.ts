import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  eventOfLine,
  HarWriter,
  importedLog,
  type LogEvent,
  type LogHeader,
  type LogUse,
  limitEvents,
  logLineOf,
  MAX_LOG_BODY_BYTES,
  MAX_LOG_BYTES,
  MAX_LOG_EVENTS,
  MAX_MESSAGE_BYTES,
  makeRedactor,
  mergedLog,
  noLogUse,
  noSiteRedaction,
  readLogLines,
  summaryOf,
  takeEvents
} from "../../src/capture/index.ts"
import { gapsOf } from "../../src/capture/limitLog.ts"
import { atOnce } from "../../src/slices.ts"

const header: LogHeader = {
  version: 1,
  started_at: "2026-01-01T10:00:00.000Z",
  page: { url: "https://shop.example.com/cart", title: "Cart" },
  user_agent:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
  viewport: { width: 1280, height: 720 },
  timezone: "Europe/Berlin",
  language: "de"
}

const request: LogEvent = {
  seq: 3,
  t: 1500,
  kind: "network",
  id: "n1",
  method: "POST",
  url: "https://shop.example.com/api/cart?page=2",
  status: 503,
  initiator: "fetch",
  duration_ms: 35,
  request_headers: { "content-type": "application/json" },
  response_headers: { "content-type": "text/plain" },
  request_body: '{"n":1}',
  response_body: "unavailable",
  size_bytes: 11
}

const events: ReadonlyArray<LogEvent> = [
  { seq: 0, t: -60_000, kind: "console", level: "warn", message: "slow\nnetwork" },
  { seq: 1, t: 0, kind: "click", target: "button Pay" },
  { seq: 2, t: 1400, kind: "error", message: "TypeError: x is null", stack: "at a" },
  request,
  { seq: 4, t: 1600, kind: "navigation", url: "https://shop.example.com/error", title: "" },
  { seq: 5, t: 1700, kind: "mark", text: "here" }
]

const lines = (...values: ReadonlyArray<unknown>) => values.map((value) => JSON.stringify(value)).join("\n")
const refusal = (text: string) => {
  const read = readLogLines(text)
  return Result.isFailure(read) ? read.failure.message : "it was read"
}
/** The events that a log of this use keeps of these, by the rules of redaction that always hold. */
const kept = (before: LogUse, given: ReadonlyArray<LogEvent>) => {
  const redactor = makeRedactor({ ...noSiteRedaction, body_urls: ["*"], customerEmail: null })
  const { taken, ...rest } = takeEvents(before, atOnce(limitEvents(before, given, redactor)))
  return { ...rest, taken: taken.map(({ event }) => event) }
}
const logText = ({ events, header }: { readonly events: ReadonlyArray<LogEvent>; readonly header: LogHeader }) =>
  lines(header, ...events)
const linesOf = (given: ReadonlyArray<LogEvent>) => given.map((event) => logLineOf(JSON.stringify(event)))

describe("lines of a capture log", () => {
  it("are parsed as they were written, with the header in the first line only", () => {
    expect(Result.getOrThrow(readLogLines(logText({ header, events })))).toEqual({ header, events })
    expect(Result.getOrThrow(readLogLines(lines(...events)))).toEqual({ header: null, events })
    expect(refusal(lines(events[0], header))).toBe("Line 2: seq must be a number from 0 to 9007199254740991")
  })

  it.each([
    ["{", "Line 1: this is not JSON"],
    ["[]", "Line 1: a line must be an object"],
    [lines({ ...header, version: 2 }), "Line 1: version must be 1"],
    [lines({ ...header, started_at: "now" }), "Line 1: started_at must be an ISO 8601 timestamp with a time zone"],
    [lines({ ...header, page: "x" }), "Line 1: page must be an object"],
    [lines(header, { ...events[1], seq: 1.5 }), "Line 2: seq must be an integer"],
    [lines({ ...events[1], t: "0" }), "Line 1: t must be a number from -8640000000000000 to 8640000000000000"],
    [
      lines({ ...events[1], kind: "scroll" }),
      "Line 1: kind must be one of console, error, network, navigation, click, input, key, mark, gap"
    ],
    [lines({ ...events[1], kind: "input", value: "hunter2" }), "Line 1: an event of kind input has no field value"],
    [lines({ ...events[0], level: "fatal" }), "Line 1: level must be one of debug, log, info, warn, error"],
    [lines({ ...request, request_headers: { a: 1 } }), "Line 1: request_headers.a must be a string"],
    [lines(header, { ...events[1], seq: 1.5 }, events[1], "x"), "Line 2: seq must be an integer (and 1 more line)"]
  ])("%s: is refused with line and field", (text, message) => {
    expect(refusal(text)).toBe(message)
  })
})

describe("limits of a capture log", () => {
  it("keeps the maximum number of events, and counts one more as a gap", () => {
    const many = Array.from(
      { length: MAX_LOG_EVENTS + 1 },
      (_, seq): LogEvent => ({ seq, t: 0, kind: "mark", text: "" })
    )
    const { taken, use } = kept(noLogUse, many)
    expect(taken).toHaveLength(MAX_LOG_EVENTS)
    expect(gapsOf(use, { seq: 9, t: 7 })).toEqual([{ seq: 10, t: 7, kind: "gap", reason: "max_events", dropped: 1 }])
    expect(gapsOf(kept(noLogUse, many.slice(1)).use, { seq: 9, t: 7 })).toEqual([])
  })

  it("keeps the maximum number of bytes, and counts the event beyond as a gap", () => {
    const line = JSON.stringify(events[1]).length + 1
    const before = { ...noLogUse, bytes: MAX_LOG_BYTES - line }
    expect(kept(before, [events[1]!]).taken).toHaveLength(1)
    const { taken, use } = kept({ ...before, bytes: before.bytes + 1 }, [events[1]!])
    expect(taken).toEqual([])
    expect(gapsOf(use, { seq: 0, t: 0 })).toMatchObject([{ reason: "max_bytes", dropped: 1 }])
  })

  it("takes nothing after the first event that did not fit, and redacts no event that has no room", () => {
    const first = events[0]!
    const big = { ...request, response_body: "x".repeat(9_000) }
    const full = { ...noLogUse, bytes: MAX_LOG_BYTES - 5_000 }
    const later = kept(full, [big, first])
    expect(later).toMatchObject({ taken: [], use: { ...full, beyondBytes: 2 }, redactions: {} })
    const redactor = makeRedactor({ ...noSiteRedaction, customerEmail: null })
    const offered = atOnce(limitEvents(later.use, [{ seq: 9, t: 0, kind: "mark", text: "a@b.co" }], redactor))
    expect(offered).toEqual([{ seq: 9, limited: null }])
    expect(redactor.counts()).toEqual({})
    const noEvents = { ...noLogUse, events: MAX_LOG_EVENTS }
    expect(atOnce(limitEvents(noEvents, [first], redactor))).toEqual([{ seq: 0, limited: null }])
  })

  it("counts the redactions of the events that it takes", () => {
    const mark = (seq: number): LogEvent => ({ seq, t: 0, kind: "mark", text: "from a@b.co" })
    const one = JSON.stringify({ ...mark(0), text: "from [redacted]" }).length + 1
    expect(kept({ ...noLogUse, bytes: MAX_LOG_BYTES - one }, [mark(0), mark(1)]).redactions).toEqual({ email: 1 })
  })

  it("cuts a message and a body at their limits, in whole characters", () => {
    const text = (length: number): LogEvent => ({ seq: 0, t: 0, kind: "mark", text: "x".repeat(length) })
    expect(kept(noLogUse, [text(MAX_MESSAGE_BYTES)]).use.cutText).toBe(0)
    const cut = kept(noLogUse, [text(3 * MAX_MESSAGE_BYTES)])
    expect(cut.taken).toEqual([text(MAX_MESSAGE_BYTES)])
    expect(gapsOf(cut.use, { seq: 0, t: 0 })).toMatchObject([
      { reason: "max_message_bytes", dropped: 2 * MAX_MESSAGE_BYTES }
    ])
    const body = (length: number): LogEvent => ({ ...request, response_body: "x".repeat(length) })
    expect(kept(noLogUse, [body(MAX_LOG_BODY_BYTES)]).use.cutBody).toBe(0)
    expect(kept(noLogUse, [body(MAX_LOG_BODY_BYTES + 1)])).toMatchObject({
      taken: [body(MAX_LOG_BODY_BYTES)],
      use: { cutBody: 1 }
    })
  })
})

describe("parts of a capture log", () => {
  it("one part keeps its sequence numbers; several are merged by time from their own start, and renumbered", () => {
    const merge = (...streams: Parameters<typeof mergedLog>[0]) => {
      const log = atOnce(mergedLog(streams, noLogUse))
      return log && { header: log.header, events: log.lines.map(eventOfLine) }
    }
    expect(merge()).toBeUndefined()
    expect(merge({ name: "tab", header, lines: linesOf(events.toReversed()) })).toEqual({ header, events })
    const later = { ...header, started_at: "2026-01-01T10:00:01.000Z" }
    const mark: LogEvent = { seq: 0, t: 450, kind: "mark", text: "tab" }
    const merged = merge(
      { name: "tab", header: later, lines: linesOf([mark]) },
      { name: "main", header, lines: linesOf(events) }
    )
    expect(merged?.header).toEqual(header)
    expect(merged?.events.map(({ seq, t }) => [seq, t])).toEqual([
      [0, -60_000],
      [1, 0],
      [2, 1400],
      [3, 1450],
      [4, 1500],
      [5, 1600],
      [6, 1700]
    ])
  })
})

describe("fields derived from a log", () => {
  it("are console lines, console and network errors, browser, system and time zone", () => {
    expect(atOnce(summaryOf({ header, lines: linesOf(events) }))).toEqual({
      consoleLogs: "[warn] slow network\n[error] TypeError: x is null",
      consoleErrors: ["TypeError: x is null"],
      networkErrors: [{ url: "https://shop.example.com/api/cart?page=2", method: "POST", status: 503, error: null }],
      browser: "Chrome 143",
      os: "Windows 10",
      timezone: "Europe/Berlin"
    })
  })

  it("are empty for a log without events from an unknown browser", () => {
    expect(atOnce(summaryOf({ header: { ...header, user_agent: "", timezone: "" }, lines: [] }))).toEqual({
      consoleLogs: null,
      consoleErrors: [],
      networkErrors: [],
      browser: null,
      os: null,
      timezone: null
    })
  })
})

describe("HAR 1.2", () => {
  const imported = (text: string) => {
    const { log, redactions } = Result.getOrThrow(atOnce(importedLog(text, null)))
    return { log: { header: log.header, events: log.lines.map(eventOfLine) }, redactions }
  }
  const harOf = (log: { readonly events: ReadonlyArray<LogEvent>; readonly header: LogHeader }) => {
    const writer = new HarWriter(log.header, { name: "Tapedeck", version: "1" })
    const pages = log.events.map((event) => (event.kind === "navigation" ? writer.page(event) : ""))
    const entries = log.events.map((event) => (event.kind === "network" ? writer.entry(event) : ""))
    return [writer.head, ...pages, writer.between, ...entries, writer.tail].join("")
  }

  it("contains the network events of a log, and restores them on import", () => {
    const { log } = imported(harOf({ header, events }))
    expect(log.header).toMatchObject({ started_at: header.started_at, page: header.page })
    expect(log.events).toEqual([
      { ...request, seq: 0 },
      { ...events[4], seq: 1, title: "https://shop.example.com/error" }
    ])
  })

  it("has for each request the last page that began by then, whatever the order and times of pages", () => {
    const times = [5, -3, 5, 8, 2, 0, 8, 7]
    const navigations = times.map((t, seq): LogEvent => ({ seq, t, kind: "navigation", url: `${seq}`, title: "" }))
    const requests = [-9, -3, 0, 4, 5, 6, 7, 8, 99].map((t): LogEvent => ({ ...request, t }))
    const { log } = JSON.parse(harOf({ header, events: [...navigations, ...requests] }))
    const expected = requests.map(
      ({ t }) =>
        `page_${
          1 +
          Math.max(
            0,
            [0, ...times].findLastIndex((page) => page <= t)
          )
        }`
    )
    expect(log.entries.map(({ pageref }: { readonly pageref: string }) => pageref)).toEqual(expected)
  })

  it("has dates from the year 0000 to 9999, whatever the times of its events are", () => {
    const events = [-8.64e15, 8.64e15].map((t): LogEvent => ({ ...request, t }))
    const { log } = JSON.parse(harOf({ header, events }))
    expect(log.entries.map(({ startedDateTime }: { readonly startedDateTime: string }) => startedDateTime)).toEqual([
      "0000-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z"
    ])
  })

  it.each([
    ["nonsense", "this is neither a capture log nor HAR: it is not JSON"],
    ['{"log":{"entries":{}}}', "log.entries must be a list"],
    ['{"log":{"entries":[]}}', "log must have an entry, or a page"],
    ['{"log":{"entries":[{"request":{}}]}}', "log.entries[0].request.method must be a string"]
  ])("%s: is refused with its path", (text, problem) => {
    expect(atOnce(importedLog(text, null))).toMatchObject({ failure: { problem, line: 1 } })
  })

  it("is redacted on import, and keeps its bodies", () => {
    const secret: LogEvent = {
      ...request,
      url: "https://a.test/?token=abc123",
      response_body: '{"password":"x","n":1}'
    }
    const { log, redactions } = imported(logText({ header, events: [secret] }))
    expect(log.events).toEqual([
      { ...secret, url: "https://a.test/?token=[redacted]", response_body: '{"password":"[redacted]","n":1}' }
    ])
    expect(redactions).toEqual({ field: 1, query_parameter: 1 })
  })
})
