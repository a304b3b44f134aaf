import { validateHeaders } from "@tapedeck/domain"
import { Result, Schema } from "effect"
import { duration } from "./duration.ts"
import { integer, list, record, text } from "./fields.ts"

const statusMessage = "must be a status from 200 to 599"

/** What an HTTP response can end with: informational statuses come before it. */
const Status = integer(statusMessage, { minimum: 200, maximum: 599 }, "HTTP status.")

const responseFields = {
  status: Status,
  headers: Schema.optionalKey(record(text("Its value."), "Response headers. Default: none.")),
  body: Schema.optionalKey(text("Response body, sent as UTF-8. Default: empty."))
}

/** Statuses whose responses have no body (RFC 9110). */
const bodiless = new Set([204, 205, 304])

interface Response {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const responseProblems = ({ body, headers, status }: Response): ReadonlyArray<Schema.FilterIssue> => {
  const checked = validateHeaders(headers ?? {}, "")
  const problems = Result.isFailure(checked)
    ? checked.failure.map(({ header, message }) => ({ path: ["headers", header], issue: message }))
    : []
  const pointless = bodiless.has(status) && body !== undefined && body !== ""
  return pointless ? [...problems, { path: ["body"], issue: `a response with status ${status} has no body` }] : problems
}

const notAnOutcome = 'must be a status, "timeout", "reset", "refused", "dns", "tls", or an object with a status'

/** What a sink does with an attempt (emulator.md, Control plane, Outcome). It comes back as it was given. */
export const Outcome = Schema.Union([
  Status,
  Schema.Literals(["timeout", "reset", "refused", "dns", "tls"]).annotate({ message: notAnOutcome }),
  Schema.Struct({
    ...responseFields,
    after: Schema.optionalKey(duration("Virtual time until it answers. Default: 0."))
  })
    .annotate({ message: notAnOutcome })
    .check(Schema.makeFilter(responseProblems))
]).annotate({ message: notAnOutcome, description: "What a request to the sink comes to." })
export type Outcome = typeof Outcome.Type

const notAFaultOutcome = 'must be a status, "reset", or an object with a status'

/** What a fault answers: a sink's outcome without what only a delivery can meet. */
export const FaultOutcome = Schema.Union([
  Status,
  Schema.Literal("reset").annotate({ message: notAFaultOutcome }),
  Schema.Struct(responseFields).annotate({ message: notAFaultOutcome }).check(Schema.makeFilter(responseProblems))
]).annotate({ message: notAFaultOutcome, description: "What the request is answered with." })
export type FaultOutcome = typeof FaultOutcome.Type

/** What a sink or a fault does, one request after the other. */
export const respondWith = <Item extends Schema.Constraint>(item: Item) =>
  list(item, "Outcomes, used one after the other; the last repeats in a sink. Default in a sink: 200.").check(
    Schema.isMinLength(1, { message: "must have at least one outcome" })
  )
