import type { Caller } from "@tapedeck/core"
import { type RequestLogEntry, type RouteMatch, type RouteTable, routeName, splitTarget } from "@tapedeck/http"
import { Context, Effect, Option } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { w3c } from "effect/http/HttpTraceContext"
import { type Config, hasMetrics, isExported, type MetricsConfig } from "../config/Config.ts"
import { makeRequestMetrics, type WatchedRequest } from "./requestMetrics.ts"

type Request = HttpServerRequest.HttpServerRequest
type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/**
 * Counts, logs and traces the requests of an app, as far as the configuration enables it. A disabled part costs
 * nothing.
 */
export const makeWatch = (config: MetricsConfig & Pick<Config, "access_log">) => {
  const { access_log } = config
  /** The caller of each request, known after authentication. */
  const callers = new WeakMap<Request, Caller>()
  const isTraced = isExported(config, "traces")
  const metrics = hasMetrics(config) ? makeRequestMetrics() : undefined

  const logged = (
    request: Request,
    { params }: RouteMatch,
    { durationMs, method, route, status }: WatchedRequest,
    requestId?: string
  ) =>
    Effect.logInfo("request", {
      request_id: requestId,
      account_id: callers.get(request)?.account.id,
      user_id: callers.get(request)?.user.id,
      method,
      // The path omits a token, because a token in a log would grant access to its readers.
      path: params.token === undefined ? splitTarget(request.url).path : route,
      route,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      ip_address: Option.getOrUndefined(request.remoteAddress)
    })

  const watched = <R>(match: RouteMatch, inner: App<R>): App<R | Request> =>
    Effect.withFiber((fiber) => {
      const startedAt = performance.now()
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const see = (status: number | null, requestId?: string) => {
        const durationMs = performance.now() - startedAt
        const seen: WatchedRequest = { method: request.method, route: routeName(match), status, durationMs }
        metrics?.count(seen, fiber.context)
        return access_log ? logged(request, match, seen, requestId) : undefined
      }
      return Effect.matchCauseEffect(inner, {
        onSuccess: (response) => {
          const line = see(response.status, response.headers["x-request-id"])
          return line === undefined ? Effect.succeed(response) : Effect.as(line, response)
        },
        onFailure: (cause) => Effect.andThen(see(null) ?? Effect.void, Effect.failCause(cause))
      })
    })

  /** Contains no header values and no query: only ids and templates. */
  const traced = <R>(match: RouteMatch, inner: App<R>): App<R | Request> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const route = routeName(match)
      return inner.pipe(
        Effect.tap(({ headers, status }) =>
          Effect.annotateCurrentSpan({
            "http.response.status_code": status,
            request_id: headers["x-request-id"],
            account_id: callers.get(request)?.account.id,
            ...(status >= 500 && { "error.type": String(status) })
          })
        ),
        Effect.withSpan(`${request.method} ${route}`, {
          kind: "server",
          parent: Option.getOrUndefined(w3c(request.headers)),
          attributes: { "http.request.method": request.method, "http.route": route }
        })
      )
    })

  return {
    /** Creates the counters of a table's requests, with 0, for which it loads all endpoints; without metrics it does nothing. */
    start: <R>(table: RouteTable<R>) =>
      metrics === undefined
        ? Effect.void
        : Effect.zipWith(
            Effect.promise(() => table.all()),
            Effect.context<never>(),
            metrics.start
          ),
    watch: <R>(match: RouteMatch, app: App<R>): App<R | Request> => {
      const inner: App<R | Request> = isTraced ? traced(match, app) : app
      return access_log || metrics !== undefined ? watched(match, inner) : inner
    },
    /** Receives the caller of each request; null if nothing needs it. */
    requestLog: access_log || isTraced ? rememberCaller(callers) : null
  }
}

const rememberCaller =
  (callers: WeakMap<Request, Caller>) =>
  ({ caller }: RequestLogEntry): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      if (caller !== null) callers.set(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest), caller)
      return Effect.void
    })
