import { decodeAll, Problem, pathText, problemLine, unstorableText } from "@tapedeck/domain/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain/internal/text"
import { splitTarget } from "@tapedeck/http"
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** An invalid request to the control plane: 400, each problem with its path. */
export class ControlRefusal extends Schema.TaggedError<ControlRefusal>()("ControlRefusal", {
  status: Schema.Int,
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return this.problems.map(problemLine).join("\n")
  }
}

export const badRequest = (...problems: ReadonlyArray<Problem>) => new ControlRefusal({ status: 400, problems })
export const refused = (status: number, message: string) =>
  new ControlRefusal({ status, problems: [{ path: "", message }] })

export const json = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })

export const refusalResponse = (refusal: ControlRefusal): HttpServerResponse.HttpServerResponse =>
  json(
    refusal.status === 400 ? { error: refusal.message, errors: refusal.problems } : { error: refusal.message },
    refusal.status
  )

/** Validates a value with a schema. Reports all problems at once, unknown keys included. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: unknown
): Effect.Effect<S["Type"], ControlRefusal> => {
  const decoded = decodeAll(schema)(value)
  const found = [...(Result.isFailure(decoded) ? decoded.failure : []), ...unstorableText(value)]
  return Result.isSuccess(decoded) && found.length === 0
    ? Effect.succeed(decoded.success)
    : Effect.fail(badRequest(...found.map(({ message, path }) => ({ path: pathText(path), message }))))
}

/** A query with text that no store can contain. */
export const checkQueryText = (url: string): ControlRefusal | null => {
  const given = new URLSearchParams(splitTarget(url).query)
  const problems = [...given].flatMap(([name, value]) =>
    isStorableText(name + value) ? [] : [{ path: name, message: UNSTORABLE_TEXT }]
  )
  return problems.length === 0 ? null : badRequest(...problems)
}

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => JSON.parse(text) as unknown,
    catch: (error) => (error instanceof Error ? error.message : "cannot be parsed")
  })

const bodyText = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.mapError(request.text, () => badRequest({ path: "", message: "the body cannot be read" }))
)

const parsed = (text: string): Effect.Effect<unknown, ControlRefusal> => {
  const value = parseJson(text)
  return Result.isSuccess(value)
    ? Effect.succeed(value.success)
    : Effect.fail(badRequest({ path: "", message: `the body must be JSON: ${value.failure}` }))
}

/** True if the call came in process, without a socket. */
export const isInProcess = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ source }) => source instanceof globalThis.Request
)

/** The request's body as JSON. Anything else is a bad request. */
export const jsonBody = Effect.flatMap(bodyText, parsed)

export const bodyOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Effect.flatMap(jsonBody, (value) => decode(schema, value))

/** An optional body, all of whose keys are optional. */
export const optionalBodyOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Effect.gen(function* () {
    const text = yield* bodyText
    return yield* decode(schema, text.trim() === "" ? {} : yield* parsed(text))
  })

/** A conflict with the present state. */
export const conflict = (error: { readonly message: string }): ControlRefusal => refused(409, error.message)
