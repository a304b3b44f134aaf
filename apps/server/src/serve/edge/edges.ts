import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { RequestIds } from "@tapedeck/core"
import { httpDate, type RouteMatch } from "@tapedeck/http"
import { Clock, Context, Effect } from "effect"
import { type Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Config } from "../../config/Config.ts"
import type { Deprecation } from "../../config/values.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Adds the headers of every response. Requests with too many headers do not reach the app. */
export const makeEdges = (config: Pick<Config, "max_headers" | "tls_cert" | "v1_deprecation">) => {
  const { max_headers, tls_cert, v1_deprecation } = config
  const secured = makeSecurityHeaders(tls_cert !== undefined)
  const deprecated = v1_deprecation && deprecationHeaders(v1_deprecation)
  return <R>(match: RouteMatch, app: App<R>): App<R | Request | RequestIds> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const isTooMuch = toIncomingMessage(request).rawHeaders.length > 2 * max_headers
      const answer: App<R | RequestIds> = isTooMuch ? tooManyHeaders(match, max_headers) : app
      return Effect.map(answer, (response) => {
        const isDeprecated = deprecated !== undefined && match.root.version === "v1"
        return secured(request, match, isDeprecated ? HttpServerResponse.setHeaders(response, deprecated) : response)
      })
    })
}

/** `Deprecation` (RFC 9745) is a date in seconds, `Sunset` (RFC 8594) an HTTP date. */
const deprecationHeaders = ({ sinceMs, sunsetMs }: Deprecation): Readonly<Record<string, string>> => ({
  deprecation: `@${sinceMs / 1000}`,
  ...(sunsetMs !== null && { sunset: httpDate(sunsetMs) })
})

/** The 431 response to a request with too many headers, in the error shape of the requested version (R2). */
const tooManyHeaders = ({ root: { version } }: RouteMatch, max: number): App<RequestIds> =>
  Effect.gen(function* () {
    const message = `The request has more than ${max} headers`
    return HttpServerResponse.jsonUnsafe(
      { error: version === "v1" ? { message, code: 431 } : message },
      {
        status: 431,
        headers: { "x-request-id": (yield* RequestIds).next(), date: httpDate(yield* Clock.currentTimeMillis) }
      }
    )
  })

const always = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

/** No response of the API is a page: in a browser it can do nothing. */
const noPage = "default-src 'none'; frame-ancestors 'none'"

const maxAgeSeconds = 365 * 24 * 3600

/**
 * The headers that browsers and caches need in every response. `isTls`: this server ends TLS; else a trusted proxy says so with
 * the request.
 */
const makeSecurityHeaders = (isTls: boolean) => {
  const secure = { ...always, "strict-transport-security": `max-age=${maxAgeSeconds}` }
  return (request: Request, match: RouteMatch, response: Response): Response => {
    const { headers } = response
    const added: Record<string, string> = { ...(isTls || request.protocol === "https" ? secure : always) }
    const policy = policyOf(headers)
    if (policy !== undefined) added["content-security-policy"] = policy
    // The header cannot name origins.
    if (policy?.includes("frame-ancestors 'none'") !== false) added["x-frame-options"] = "DENY"
    const cache = cacheOf(match, headers)
    if (cache !== undefined) added["cache-control"] = cache
    // Pages with forms override it: with this one browsers would send `Origin: null` with forms.
    const referrer = headers["referrer-policy"]
    if (referrer !== undefined) added["referrer-policy"] = referrer
    return HttpServerResponse.setHeaders(response, added)
  }
}

/** Videos and pictures have no policy, because browsers show them in a page of theirs, which the policy would empty. */
const policyOf = (headers: Headers.Headers): string | undefined => {
  const own = headers["content-security-policy"]
  if (own !== undefined) return own.includes("frame-ancestors") ? own : `${own}; frame-ancestors 'none'`
  return /^(?:video|image|audio)\//.test(headers["content-type"] ?? "") ? undefined : noPage
}

/** API responses belong to one caller: no cache may store them. The caller's own may store videos, and has to revalidate them. */
const cacheOf = ({ root }: RouteMatch, headers: Headers.Headers): string | undefined => {
  if (headers["cache-control"] !== undefined || root.access === "public") return undefined
  return headers.etag === undefined ? "no-store" : "private, no-cache"
}
