/** Maximum number of events of a capture log. Content beyond a limit of the log is replaced by a `gap`, and is never an error. */
export const MAX_LOG_EVENTS = 100_000
/** Maximum size of the events as JSON Lines in UTF-8, without the header, in bytes. */
export const MAX_LOG_BYTES = 20_000_000
/** Maximum size of each text of an event except bodies, and of each value of a header, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 8_000
export const MAX_LOG_BODY_BYTES = 150_000
/** Maximum number of headers of a request, and of a response. */
export const MAX_LOG_HEADERS = 200

/** The first line of a log: the page and the browser on which it was recorded. Sizes are in CSS pixels. */
export interface LogHeader {
  readonly version: 1
  /** Instant at which `t` is 0, in ISO 8601. */
  readonly started_at: string
  readonly page: { readonly url: string; readonly title: string }
  readonly user_agent: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly timezone: string
  readonly language: string
}

interface Placed {
  /** Number of the event within its stream. */
  readonly seq: number
  /** Time since the start of the video, in milliseconds; negative for events before the start. */
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

/** Headers by name in lower case. */
export type LogHeaders = Readonly<Record<string, string>>

export interface NetworkEvent extends Placed {
  readonly kind: "network"
  readonly id: string
  readonly method: string
  readonly url: string
  /** HTTP status; 0 if there was no response. */
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

/** Target of a click or of typing, by role and accessible name, else by selector. Typed text is never recorded. */
export interface TargetEvent extends Placed {
  readonly kind: "click" | "input" | "key"
  readonly target: string
}

/** A note of the person who records. */
export interface MarkEvent extends Placed {
  readonly kind: "mark"
  readonly text: string
}

/** A gap in a log: content that a limit cut off. */
export interface GapEvent extends Placed {
  readonly kind: "gap"
  readonly reason: string
  readonly dropped: number
}

export type LogEvent = ConsoleEvent | ErrorEvent | NetworkEvent | NavigationEvent | TargetEvent | MarkEvent | GapEvent

export const logKinds = ["console", "error", "network", "navigation", "click", "input", "key", "mark", "gap"] as const
export type LogKind = LogEvent["kind"]

/** A log: its header, and its events in the order of `seq`. */
export interface CaptureLog {
  readonly header: LogHeader
  readonly events: ReadonlyArray<LogEvent>
}
