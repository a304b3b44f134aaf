import { BadRequest, UnsupportedMediaType } from "@tapedeck/contract"
import { inSlices } from "@tapedeck/core"
import type { JsonObject } from "@tapedeck/domain/input"
import { type JsonProblem, NOT_JSON, readJson } from "@tapedeck/domain/internal/text"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RequestBody } from "./pipeline/requestBody.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The type of the body, in lower case, without parameters. */
export const mediaType = (request: Request): string | undefined => {
  const contentType = request.headers["content-type"]
  return contentType === undefined ? undefined : contentType.split(";", 1)[0]?.trim().toLowerCase()
}

/** A body without a type is taken for JSON. */
const isJson = (request: Request): boolean => {
  const type = mediaType(request)
  return type === undefined || type === "application/json"
}

/** R20's words for what is not JSON. */
const bodyProblem = (problem: JsonProblem) => (problem === NOT_JSON ? "must be valid JSON" : problem)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The body as text: 400 for none, and for bytes that are not UTF-8. */
export const textBody = Effect.gen(function* () {
  const bytes = yield* bodyBytes
  return yield* Effect.try({ try: () => utf8.decode(bytes), catch: () => malformed("The body must be UTF-8") })
})

const lenientUtf8 = new TextDecoder("utf-8")

/** The body of a file as text, with U+FFFD for what is not UTF-8 (`isRepaired`): 400 for none. */
export const fileText = Effect.gen(function* () {
  const bytes = yield* bodyBytes
  const strict = Effect.try({
    try: () => ({ text: utf8.decode(bytes), isRepaired: false }),
    catch: () => malformed("The body must be UTF-8")
  })
  return yield* Effect.orElseSucceed(strict, () => ({ text: lenientUtf8.decode(bytes), isRepaired: true }))
})

/** The request's JSON (R11, R20): 415 for another type, 400 for no body, for bytes that are not UTF-8, and for no JSON. */
export const jsonBody = Effect.fnUntraced(function* (request: Request) {
  if (!isJson(request)) {
    return yield* new UnsupportedMediaType({ message: "The body must be application/json" })
  }
  const bytes = yield* bodyBytes
  const text = yield* Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => malformed("The body must be valid JSON")
  })
  return yield* Effect.flatMap(inSlices(readJson(text)), (read) =>
    Effect.mapError(Effect.fromResult(read), (problem) => malformed(`The body ${bodyProblem(problem)}`))
  )
})

/** Returns the request's JSON object. Core checks its fields, after the look-up of the record (R1). */
export const objectBody = Effect.fnUntraced(function* (request: Request) {
  const body = yield* jsonBody(request)
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return yield* new BadRequest({ message: "The body must be a JSON object" })
  }
  return body as JsonObject
})

/** The same for a body whose keys are all optional: it may be missing. */
export const optionalObjectBody = Effect.fnUntraced(function* (request: Request) {
  const bytes = yield* RequestBody
  const input: JsonObject = bytes?.byteLength === 0 ? {} : yield* objectBody(request)
  return input
})

/** The bytes of the body: 400 for none. */
export const bodyBytes = Effect.gen(function* () {
  const bytes = yield* RequestBody
  if (bytes === null) return yield* malformed("The body could not be read")
  return bytes.byteLength === 0 ? yield* malformed("The body must not be empty") : bytes
})

const malformed = (message: string) => new BadRequest({ message })
