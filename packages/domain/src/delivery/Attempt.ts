import * as Schema from "effect/Schema"
import { Instant } from "../time.ts"

/**
 * Outcome of an attempt. `success` and `failure` are responses (with 2xx, with another status); the others name the stage that failed.
 * `blocked`: a policy blocked the attempt, and nothing was sent. `lost`: the worker died or lost its lease, and it is unknown what was
 * sent.
 */
export const AttemptOutcome = Schema.Literals([
  "success",
  "failure",
  "timeout",
  "reset",
  "refused",
  "dns",
  "tls",
  "blocked",
  "lost"
])
export type AttemptOutcome = typeof AttemptOutcome.Type

/** Headers as pairs of name and value, in the order of transmission. */
export const HeaderList = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
export type HeaderList = typeof HeaderList.Type

/** Request of an attempt. Its body is the body of the delivery. */
export const AttemptRequest = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  headers: HeaderList
})
export type AttemptRequest = typeof AttemptRequest.Type

export const AttemptResponse = Schema.Struct({
  headers: HeaderList,
  body: Schema.String,
  /** True if the stored body was cut. */
  truncated: Schema.Boolean
})
export type AttemptResponse = typeof AttemptResponse.Type

/** An attempt that has ended: a line of the execution log. */
export const Attempt = Schema.Struct({
  /** Number of the attempt, counted from 1. Retry n is attempt n + 1. */
  attempt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  at: Instant,
  /** Time from the start of the delivery's first attempt to the start of this one, in milliseconds. */
  elapsedMs: Schema.Natural,
  endedAt: Instant,
  outcome: AttemptOutcome,
  /** HTTP status, even of a response that timed out after its status line; null if no status was received. */
  statusCode: Schema.NullOr(Schema.Int),
  /** Request of the attempt; null if the attempt was lost. */
  request: Schema.NullOr(AttemptRequest),
  response: Schema.NullOr(AttemptResponse),
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type

/**
 * Returns headers by name. Values of the same name are joined by a comma (RFC 9110, 5.3); values of `set-cookie`, which can contain
 * commas, are joined by a line feed, which no value contains.
 */
export const headerMap = (headers: HeaderList): Record<string, string> => {
  const map = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = map.get(name)
    const separator = name.toLowerCase() === "set-cookie" ? "\n" : ", "
    map.set(name, before === undefined ? value : `${before}${separator}${value}`)
  }
  return Object.fromEntries(map)
}
