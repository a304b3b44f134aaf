import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isShared, type RouteMatch } from "../routes.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const allowedMethods = "DELETE, GET, HEAD, PATCH, POST, PUT"

/** Headers that a page may send: the token, conditions and ranges, and those of uploads in parts. */
const allowedHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
  "traceparent",
  "tracestate",
  "tus-resumable",
  "upload-checksum",
  "upload-defer-length",
  "upload-length",
  "upload-metadata",
  "upload-offset",
  "x-http-method-override",
  "x-requested-with"
].join(", ")

/** Headers that a page may read, in addition to those that browsers always permit. */
const exposedHeaders = [
  "accept-ranges",
  "allow",
  "content-disposition",
  "content-length",
  "content-range",
  "date",
  "deprecation",
  "etag",
  "idempotency-replayed",
  "location",
  "retry-after",
  "sunset",
  "tus-checksum-algorithm",
  "tus-extension",
  "tus-max-size",
  "tus-resumable",
  "tus-version",
  "upload-defer-length",
  "upload-expires",
  "upload-length",
  "upload-metadata",
  "upload-offset",
  "www-authenticate",
  "x-request-id"
].join(", ")

/** Time for which a browser caches a preflight, in seconds. */
const maxAgeSeconds = 600

/** A request with a cookie alone acts by it, and sign-in gives one: neither is for pages of other origins (R25). */
const isByCookie = ({ headers }: Request): boolean =>
  headers.cookie !== undefined && headers.authorization === undefined

/** The origin that may read the answer; undefined for none. */
const allowedOrigin = ({ headers: { origin } }: Request, origins: ReadonlyArray<string>): string | undefined =>
  origin !== undefined && origins.includes(origin) ? origin : undefined

/** The response to a preflight of an allowed page; undefined for any other request. */
export const preflightAnswer = (
  request: Request,
  match: RouteMatch<unknown>,
  origins: ReadonlyArray<string>
): Response | undefined => {
  const isPreflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined
  if (!isPreflight || allowedOrigin(request, origins) === undefined || !isShared(match)) return undefined
  return HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": allowedMethods,
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": String(maxAgeSeconds)
    }
  })
}

/** The answer as pages of the allowed origins may read it. Nothing is added where no origins are named. */
export const withCors = (
  request: Request,
  match: RouteMatch<unknown>,
  origins: ReadonlyArray<string>,
  response: Response
): Response => {
  if (origins.length === 0 || !isShared(match)) return response
  const { vary } = response.headers
  const varying = { vary: vary === undefined ? "Origin" : `${vary}, Origin` }
  const origin = isByCookie(request) ? undefined : allowedOrigin(request, origins)
  return HttpServerResponse.setHeaders(
    response,
    origin === undefined
      ? varying
      : { ...varying, "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders }
  )
}
