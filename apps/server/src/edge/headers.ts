import type { Place } from "@tapedeck/http"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as Headers from "effect/http/Headers"

const always = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

/** Nothing of an answer is a page: should a browser show it, it does nothing. */
const noPage = "default-src 'none'; frame-ancestors 'none'"

const maxAgeSeconds = 365 * 24 * 3600

export type SecurityHeaders = (
  request: HttpServerRequest.HttpServerRequest,
  place: Place,
  response: HttpServerResponse.HttpServerResponse
) => HttpServerResponse.HttpServerResponse

/**
 * What browsers and caches need to know of every answer, beside what the app says itself. `isTls`: this server ends TLS; else
 * a trusted proxy says so with the request.
 */
export const makeSecurityHeaders = (isTls: boolean): SecurityHeaders => {
  const secure = { ...always, "strict-transport-security": `max-age=${maxAgeSeconds}` }
  return (request, place, response) => {
    const { headers } = response
    const added: Record<string, string> = {}
    const policy = policyOf(headers)
    if (policy !== undefined) added["content-security-policy"] = policy
    const cache = cacheOf(place, headers)
    if (cache !== undefined) added["cache-control"] = cache
    const common = isTls || request.protocol === "https" ? secure : always
    // A page with forms says another: with this one browsers would not say from where its forms are sent.
    const referrer = headers["referrer-policy"] === undefined ? {} : { "referrer-policy": headers["referrer-policy"] }
    return HttpServerResponse.setHeaders(response, { ...common, ...added, ...referrer })
  }
}

/** Videos and pictures have none of their own: browsers show them in a page of theirs, which such a policy would empty. */
const policyOf = (headers: Headers.Headers): string | undefined => {
  const own = headers["content-security-policy"]
  if (own !== undefined) return own.includes("frame-ancestors") ? undefined : `${own}; frame-ancestors 'none'`
  return /^(?:video|image|audio)\//.test(headers["content-type"] ?? "") ? undefined : noPage
}

/** Answers of the API are one caller's: no cache keeps them. Videos may be kept by the caller's own, which has to ask. */
const cacheOf = ({ root }: Place, headers: Headers.Headers): string | undefined => {
  if (headers["cache-control"] !== undefined || root.access === "public") return undefined
  return headers.etag === undefined ? "no-store" : "private, no-cache"
}
