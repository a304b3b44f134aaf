import type { Operation } from "@tapedeck/core"
import { Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServerError, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { CurrentCaller } from "./CurrentCaller.ts"
import { asked, permittedTo } from "./middleware.ts"
import { checkQuery } from "./queryParameters.ts"
import { errorResponse } from "./responses.ts"

/**
 * A path below `/api` that one host of the app has, and the contract has not. It lies behind the same front as all others:
 * who calls is known, other methods than its own are 405, and who may not do what it does is 403 before it is asked. Query parameters
 * are 400: it has none.
 */
export interface ExtraRoute<R = never> {
  /** With parameters as in the contract: `/api/settings/recordings/:uuid/uploads`. */
  readonly path: `/api/${string}`
  readonly methods: ReadonlyArray<string>
  readonly operation: Operation
  readonly answer: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext | Scope.Scope | CurrentCaller | R
  >
}

type RoutesNeed<R> = Layer.Services<ReturnType<typeof routeOf<R>>>

const routeOf = <R>({ answer, methods, operation, path }: ExtraRoute<R>) => {
  const known = asked("v2", checkQuery([], "refused"), answer)
  const permitted = Effect.catchTag(permittedTo(operation, known), "Forbidden", (refusal) =>
    Effect.succeed(errorResponse("v2", refusal))
  )
  return HttpRouter.add("*", path, (request) =>
    // HEAD is not taken for GET here: each method is the route's own, or is not there.
    methods.includes(request.method)
      ? permitted
      : Effect.fail(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))
  )
}

/** The routes as the router takes them. */
export const extraRoutes = <R>(routes: ReadonlyArray<ExtraRoute<R>>): Layer.Layer<never, never, RoutesNeed<R>> =>
  routes.reduce<Layer.Layer<never, never, RoutesNeed<R>>>((all, route) => Layer.merge(all, routeOf(route)), Layer.empty)
