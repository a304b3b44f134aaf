import { BadRequest } from "@tapedeck/contract"
import type { SettingsInput } from "@tapedeck/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { jsonBody } from "../jsonBody.ts"
import { RequestBody } from "../requestBody.ts"

/** The request's JSON object; what its fields may be is core's to say, after there is such a record (R1). */
export const objectBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const body = yield* jsonBody(request)
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return yield* new BadRequest({ message: "The body must be a JSON object" })
  }
  return body as SettingsInput
})

/** The same, where everything may be left out: no body at all says so too. */
export const optionalObjectBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* RequestBody
  const input: SettingsInput = bytes?.byteLength === 0 ? {} : yield* objectBody(request)
  return input
})
