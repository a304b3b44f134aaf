import * as Schema from "effect/Schema"
import { Instant } from "../time.ts"

/**
 * How an attempt ended: `success` and `failure` are responses (2xx, any other); the rest names the stage that failed.
 * `blocked`: by policy, nothing was sent. `lost`: its worker died or lost its lease, so what was sent is not known.
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

/** Name and value, in the order in which they went over the wire. */
export const HeaderList = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
export type HeaderList = typeof HeaderList.Type

/** The body is the delivery's. */
export const AttemptRequest = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  headers: HeaderList
})
export type AttemptRequest = typeof AttemptRequest.Type

export const AttemptResponse = Schema.Struct({
  headers: HeaderList,
  body: Schema.String,
  /** Whether the stored body was cut. */
  truncated: Schema.Boolean
})
export type AttemptResponse = typeof AttemptResponse.Type

/** One attempt that has ended: a line of the execution log. */
export const Attempt = Schema.Struct({
  /** From 1; retry n is attempt n + 1. */
  attempt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  at: Instant,
  /** From the start of the delivery's first attempt to this one's. */
  elapsedMs: Schema.Natural,
  endedAt: Instant,
  outcome: AttemptOutcome,
  /** Of a timeout too, where the status line came. */
  statusCode: Schema.NullOr(Schema.Int),
  /** Null for a lost attempt. */
  request: Schema.NullOr(AttemptRequest),
  response: Schema.NullOr(AttemptResponse),
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type
