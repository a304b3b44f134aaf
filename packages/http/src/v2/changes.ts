import { BadRequest, type NotFound, Unprocessable } from "@tapedeck/contract"
import { validateChanges } from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { jsonBody } from "../jsonBody.ts"

/**
 * What a PATCH changes. A body that is no change is 400; values that are not allowed are 422, but only where there is
 * such a recording, which `lookUp` finds out (R1, R11).
 */
export const readChanges = Effect.fnUntraced(function* <A, R>(
  request: HttpServerRequest.HttpServerRequest,
  lookUp: Effect.Effect<A, NotFound, R>
) {
  const changes = validateChanges(yield* jsonBody(request))
  if (Result.isSuccess(changes)) return changes.success
  const refusal = changes.failure
  if (refusal._tag === "MalformedChanges") return yield* new BadRequest({ message: refusal.message })
  yield* lookUp
  return yield* new Unprocessable({ message: refusal.message })
})
