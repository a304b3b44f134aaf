import type { Json } from "@tapedeck/domain"
import { decodeAll, pathText, problemsIn } from "@tapedeck/domain/input"
import { isJson, MAX_JSON_DEPTH } from "@tapedeck/domain/internal/text"
import { Result, type Schema, SchemaParser } from "effect"

/** A note in a helpdesk, as its agents see it. */
export interface HelpdeskNote {
  /** Id of the ticket, conversation, issue or record. */
  readonly ticket: string
  readonly text: string
  /** Whether only agents see the note. */
  readonly private: boolean
}

/** A request to a helpdesk. The path is below the address of the sink. */
export interface HelpdeskRequest {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Number of the request at the sink, from 1, for the ids of an answer. */
  readonly number: number
}

export interface HelpdeskAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for no body. */
  readonly body?: Json
}

/** An answer, and the note that the helpdesk writes; null if it refuses the request. */
export interface HelpdeskOutcome {
  readonly answer: HelpdeskAnswer
  readonly note: HelpdeskNote | null
}

/** A value of a body that a helpdesk refuses. The path is empty for the whole body. */
export interface BodyProblem {
  readonly path: string
  readonly message: string
  readonly kind: "missing" | "invalid" | "unknown"
}

/** The operation of a helpdesk's API that writes a note, as far as a sink imitates it. */
export interface HelpdeskApi<Body> {
  readonly method: "POST" | "PUT"
  /** Path of the operation. The group, if there is one, is the id of the ticket. */
  readonly path: RegExp
  readonly schemes: ReadonlyArray<"basic" | "bearer">
  readonly body: Schema.ConstraintDecoder<Body>
  /** Whether the API refuses fields that it does not know. */
  readonly refusesUnknown?: true
  /** Problems of a body that its schema accepts. */
  readonly check?: (body: Body) => ReadonlyArray<BodyProblem>
  readonly note: (body: Body, ticket: string) => HelpdeskNote
  readonly accepted: (note: HelpdeskNote, number: number) => HelpdeskAnswer
  readonly unauthorized: HelpdeskAnswer
  readonly notFound: HelpdeskAnswer
  readonly refused: (problems: ReadonlyArray<BodyProblem>) => HelpdeskAnswer
}

/** Returns the answer of a helpdesk to a request. */
export type Helpdesk = (request: HelpdeskRequest) => HelpdeskOutcome

const refusal = (answer: HelpdeskAnswer): HelpdeskOutcome => ({ answer, note: null })

const invalid = (message: string): ReadonlyArray<BodyProblem> => [{ path: "", message, kind: "invalid" }]

const jsonOf = (text: string): Result.Result<unknown, string> => {
  try {
    const json: unknown = JSON.parse(text)
    return isJson(json) ? Result.succeed(json) : Result.fail(`the JSON is deeper than ${MAX_JSON_DEPTH} levels`)
  } catch {
    return Result.fail("the body is not valid JSON")
  }
}

/** Returns the id of the ticket that the path names, "" if the body names it; undefined for another path. */
const ticketIn = ({ path: pattern }: Pick<HelpdeskApi<unknown>, "path">, path: string): string | undefined => {
  const found = pattern.exec(path.split("?", 1)[0] ?? "")
  return found === null ? undefined : decodeURIComponent(found[1] ?? "")
}

/** Makes the helpdesk of an API. It checks path, credentials and body, in this order. */
export const helpdesk =
  <Body>(api: HelpdeskApi<Body>): Helpdesk =>
  ({ body: text, headers, method, number, path }) => {
    const ticket = ticketIn(api, path)
    if (ticket === undefined || method !== api.method) return refusal(api.notFound)
    const [scheme = "", credentials = ""] = (headers.get("authorization") ?? "").split(" ")
    if (credentials === "" || !api.schemes.some((one) => one === scheme.toLowerCase())) return refusal(api.unauthorized)
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "")) {
      return refusal(api.refused(invalid("the Content-Type must be application/json")))
    }
    const json = jsonOf(text)
    if (Result.isFailure(json)) return refusal(api.refused(invalid(json.failure)))
    const problems = problemsOf(api, json.success)
    if (problems.length > 0) return refusal(api.refused(problems))
    const note = api.note(json.success as Body, ticket)
    return { note, answer: api.accepted(note, number) }
  }

const kindOf = (message: string): BodyProblem["kind"] => (message === "is required" ? "missing" : "invalid")

const schemaProblems = <Body>(api: HelpdeskApi<Body>, json: unknown): ReadonlyArray<BodyProblem> => {
  if (api.refusesUnknown === true) {
    const decoded = decodeAll(api.body)(json)
    return (Result.isFailure(decoded) ? decoded.failure : []).map(({ isUnknownKey, message, path }) => ({
      path: pathText(path),
      message,
      kind: isUnknownKey === true ? "unknown" : kindOf(message)
    }))
  }
  const decoded = SchemaParser.decodeUnknownResult(api.body, { onExcessProperty: "ignore", reportInput: true })(json)
  if (Result.isSuccess(decoded)) return []
  return problemsIn(decoded.failure).map(({ message, path }) => ({ path, message, kind: kindOf(message) }))
}

const problemsOf = <Body>(api: HelpdeskApi<Body>, json: unknown): ReadonlyArray<BodyProblem> => {
  const problems = schemaProblems(api, json)
  return problems.length > 0 ? problems : (api.check?.(json as Body) ?? [])
}
