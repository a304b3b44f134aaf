import { pathBelow } from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/**
 * The app for a server whose public URL has a path. Requests have that path or not: proxies keep it or remove it, and
 * probes do not know it.
 */
export const belowPath = <R>(app: App<R>, path: string): App<R | HttpServerRequest.HttpServerRequest> => {
  if (path === "") return app
  return Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) => {
    const url = pathBelow(path, request.url)
    return url === undefined ? request : request.modify({ url })
  })
}
