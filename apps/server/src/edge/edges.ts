import { isIPv4 } from "node:net"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { RequestIds } from "@tapedeck/core"
import { httpDate, type RouteMatch } from "@tapedeck/http"
import { Clock, Context, Effect } from "effect"
import { type Headers, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpInterface, IpNetwork } from "effect/net"
import type { Config } from "../config/Config.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** An address alone is a network of one; of one in a network (`10.0.0.1/8`) it is the network that counts. */
const networkOf = (written: string): IpNetwork.IpNetwork =>
  IpNetwork.fromInterface(
    IpInterface.fromStringUnsafe(written.includes("/") ? written : `${written}/${isIPv4(written) ? 32 : 128}`)
  )

/**
 * The app as a request should come to it: where the caller is, and how it came, as the nearest proxy that is not trusted
 * was seen by those that are. Without a list, what requests say of it is ignored.
 */
export const behindProxies = <R>(
  app: App<R>,
  { trusted_proxies }: Pick<Config, "trusted_proxies">
): App<R | Request> =>
  trusted_proxies.length === 0
    ? app
    : HttpMiddleware.xForwardedHeaders({ trustedProxies: trusted_proxies.map(networkOf) })(app)

/** Answers with the headers that go with all of them; requests with too many headers do not reach the app. */
export const makeEdges = ({ max_headers, tls_cert }: Pick<Config, "max_headers" | "tls_cert">) => {
  const secured = makeSecurityHeaders(tls_cert !== undefined)
  return <R>(match: RouteMatch, app: App<R>): App<R | Request | RequestIds> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const isTooMuch = toIncomingMessage(request).rawHeaders.length > 2 * max_headers
      const answer: App<R | RequestIds> = isTooMuch ? tooManyHeaders(match, max_headers) : app
      return Effect.map(answer, (response) => secured(request, match, response))
    })
}

/** In the shape of the version that was asked (R2). */
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
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

/** Nothing of an answer is a page: should a browser show it, it does nothing. */
const noPage = "default-src 'none'; frame-ancestors 'none'"

const maxAgeSeconds = 365 * 24 * 3600

/**
 * What browsers and caches need to know of every answer, beside what the app says itself. `isTls`: this server ends TLS; else
 * a trusted proxy says so with the request.
 */
const makeSecurityHeaders = (isTls: boolean) => {
  const secure = { ...always, "strict-transport-security": `max-age=${maxAgeSeconds}` }
  return (request: Request, match: RouteMatch, response: Response): Response => {
    const { headers } = response
    const added: Record<string, string> = { ...(isTls || request.protocol === "https" ? secure : always) }
    const policy = policyOf(headers)
    if (policy !== undefined) added["content-security-policy"] = policy
    const cache = cacheOf(match, headers)
    if (cache !== undefined) added["cache-control"] = cache
    // A page with forms says another: with this one browsers would not say from where its forms are sent.
    const referrer = headers["referrer-policy"]
    if (referrer !== undefined) added["referrer-policy"] = referrer
    return HttpServerResponse.setHeaders(response, added)
  }
}

/** Videos and pictures have none of their own: browsers show them in a page of theirs, which such a policy would empty. */
const policyOf = (headers: Headers.Headers): string | undefined => {
  const own = headers["content-security-policy"]
  if (own !== undefined) return own.includes("frame-ancestors") ? undefined : `${own}; frame-ancestors 'none'`
  return /^(?:video|image|audio)\//.test(headers["content-type"] ?? "") ? undefined : noPage
}

/** Answers of the API are one caller's: no cache keeps them. Videos may be kept by the caller's own, which has to ask. */
const cacheOf = ({ root }: RouteMatch, headers: Headers.Headers): string | undefined => {
  if (headers["cache-control"] !== undefined || root.access === "public") return undefined
  return headers.etag === undefined ? "no-store" : "private, no-cache"
}
