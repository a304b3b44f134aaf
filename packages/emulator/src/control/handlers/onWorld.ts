import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { CurrentWorld } from "../CurrentWorld.ts"
import { type ControlRefusal, refusalResponse, refused } from "../requests.ts"

/** Runs a handler on the request's world, and gives its refusal as the answer. */
export const onWorld = <R>(
  handler: (current: CurrentWorld["Service"]) => Effect.Effect<HttpServerResponse.HttpServerResponse, ControlRefusal, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | CurrentWorld> =>
  CurrentWorld.use(handler).pipe(Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal))))

/** What must not happen now. */
export const conflict = (error: { readonly message: string }): ControlRefusal => refused(409, error.message)
