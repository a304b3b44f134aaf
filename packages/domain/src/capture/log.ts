/** Limits of a capture log. What is beyond is a `gap`, never an error. */
export const MAX_LOG_EVENTS = 100_000
/** The events as JSON Lines, in UTF-8, without the header. */
export const MAX_LOG_BYTES = 20_000_000
/** Each text of an event but bodies, and each value of a header, in UTF-8. */
export const MAX_MESSAGE_BYTES = 8_000
export const MAX_LOG_BODY_BYTES = 150_000
/** Headers of a request, and of a response. */
export const MAX_LOG_HEADERS = 200

/** The first line of a log: where and in what it was recorded. Sizes in CSS pixels. */
export interface LogHeader {
  readonly version: 1
  /** ISO 8601: the instant at which `t` is 0. */
  readonly started_at: string
  readonly page: { readonly url: string; readonly title: string }
  readonly user_agent: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly timezone: string
  readonly language: string
}

interface Placed {
  /** Counts within a stream. */
  readonly seq: number
  /** Milliseconds since the video's start; negative: look-back. */
  readonly t: number
}

export const consoleLevels = ["debug", "log", "info", "warn", "error"] as const
export const initiators = ["fetch", "xhr", "beacon", "websocket", "resource"] as const

export interface ConsoleEvent extends Placed {
  readonly kind: "console"
  readonly level: (typeof consoleLevels)[number]
  readonly message: string
  readonly stack?: string
}

/** An uncaught error, an unhandled rejection, a resource error or a CSP violation. */
export interface ErrorEvent extends Placed {
  readonly kind: "error"
  readonly message: string
  readonly stack?: string
  readonly source?: string
}

/** By lower-case name. */
export type LogHeaders = Readonly<Record<string, string>>

export interface NetworkEvent extends Placed {
  readonly kind: "network"
  readonly id: string
  readonly method: string
  readonly url: string
  /** 0: no response. */
  readonly status: number
  readonly initiator: (typeof initiators)[number]
  readonly duration_ms: number
  readonly request_headers: LogHeaders
  readonly response_headers: LogHeaders
  readonly request_body?: string
  readonly response_body?: string
  readonly size_bytes?: number
  readonly error?: string
}

export interface NavigationEvent extends Placed {
  readonly kind: "navigation"
  readonly url: string
  readonly title: string
}

/** What was clicked or typed into, by role and accessible name, else by selector; never what was typed. */
export interface TargetEvent extends Placed {
  readonly kind: "click" | "input" | "key"
  readonly target: string
}

/** The person's own note. */
export interface MarkEvent extends Placed {
  readonly kind: "mark"
  readonly text: string
}

/** What a limit cut off. */
export interface GapEvent extends Placed {
  readonly kind: "gap"
  readonly reason: string
  readonly dropped: number
}

export type LogEvent = ConsoleEvent | ErrorEvent | NetworkEvent | NavigationEvent | TargetEvent | MarkEvent | GapEvent

export const logKinds = ["console", "error", "network", "navigation", "click", "input", "key", "mark", "gap"] as const
export type LogKind = LogEvent["kind"]

/** A log: its header, and its events by `seq`. */
export interface CaptureLog {
  readonly header: LogHeader
  readonly events: ReadonlyArray<LogEvent>
}
