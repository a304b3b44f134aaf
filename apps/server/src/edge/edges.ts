import { isIPv4 } from "node:net"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { RequestIds } from "@tapedeck/core"
import { httpDate, type Place } from "@tapedeck/http"
import { Clock, Context, Effect } from "effect"
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpInterface, IpNetwork } from "effect/net"
import type { Config } from "../config/Config.ts"
import { makeSecurityHeaders } from "./headers.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
type Request = HttpServerRequest.HttpServerRequest

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
  return <R>(place: Place, app: App<R>): App<R | Request | RequestIds> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const isTooMuch = toIncomingMessage(request).rawHeaders.length > 2 * max_headers
      const answer: App<R | RequestIds> = isTooMuch ? tooManyHeaders(place, max_headers) : app
      return Effect.map(answer, (response) => secured(request, place, response))
    })
}

/** In the shape of the version that was asked (R2). */
const tooManyHeaders = ({ root: { version } }: Place, max: number): App<RequestIds> =>
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
