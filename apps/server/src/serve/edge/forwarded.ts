import { isIPv4 } from "node:net"
import { Clock, Context, Effect, Option, Result } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import type { Config } from "../../config/Config.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
type Request = HttpServerRequest.HttpServerRequest

/** A single address is a network of one; of an address in a network (`10.0.0.1/8`) the network counts. */
const networkOf = (written: string): IpNetwork.IpNetwork =>
  IpNetwork.fromInterface(
    IpInterface.fromStringUnsafe(written.includes("/") ? written : `${written}/${isIPv4(written) ? 32 : 128}`)
  )

/**
 * The app with the client's address and scheme: of the nearest proxy that is not trusted, as trusted proxies saw it. Without
 * trusted proxies, the headers of the request are ignored. A request that a proxy received by HTTPS and that counts as HTTP is
 * logged with the reason, at most once a minute.
 */
export const behindProxies = <R>(
  app: App<R>,
  { tls_cert, trusted_proxies }: Pick<Config, "tls_cert" | "trusted_proxies">
): App<R | Request> => {
  if (trusted_proxies.length === 0) return app
  const networks = trusted_proxies.map(networkOf)
  const isTrusted = (address: NetAddress.IpAddress) => networks.some((network) => IpNetwork.contains(network, address))
  const forwarded = HttpMiddleware.xForwardedHeaders({ trustedProxies: isTrusted })
  const warn = makeWarning()
  return Effect.withFiber((fiber) => {
    const sent = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    // A server that ends TLS itself counts every request as HTTPS.
    const isSaid = tls_cert === undefined && (sent.headers["x-forwarded-proto"] ?? "").includes("https")
    if (!isSaid) return forwarded(app)
    const explained = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      request.protocol === "https" ? app : Effect.andThen(warn(reasonOf(sent, request, isTrusted), sent), app)
    )
    return forwarded(explained)
  })
}

const lengthOf = (header: string | undefined): number => header?.split(",").length ?? 0

/** The reason why `X-Forwarded-Proto` does not count, or does not say that this request came by HTTPS. */
const reasonOf = (
  sent: Request,
  request: Request,
  isTrusted: (address: NetAddress.IpAddress) => boolean
): string | undefined => {
  const { "x-forwarded-for": addresses, "x-forwarded-proto": protocols } = sent.headers
  const peer = NetAddress.ipFromString(Option.getOrElse(sent.remoteAddress, () => ""))
  if (Result.isFailure(peer) || !isTrusted(NetAddress.toCanonical(peer.success)))
    return "the request did not come from a trusted proxy"
  if (addresses === undefined) return "X-Forwarded-For is missing"
  if (request === sent) return "X-Forwarded-For has an entry that is not an address"
  if (lengthOf(addresses) !== lengthOf(protocols))
    return "X-Forwarded-Proto does not have one value for each of X-Forwarded-For"
  // The headers have as many values as each other. The value of this address is `http`, and correct.
  return undefined
}

const minuteMs = 60_000

const makeWarning = () => {
  let loggedAt = Number.NEGATIVE_INFINITY
  return Effect.fnUntraced(function* (reason: string | undefined, { headers, remoteAddress }: Request) {
    const now = yield* Clock.currentTimeMillis
    if (reason === undefined || now - loggedAt < minuteMs) return
    loggedAt = now
    yield* Effect.logWarning("X-Forwarded-Proto was ignored; the request counts as HTTP", {
      reason,
      x_forwarded_for_values: lengthOf(headers["x-forwarded-for"]),
      x_forwarded_proto_values: lengthOf(headers["x-forwarded-proto"]),
      proxy: Option.getOrUndefined(remoteAddress)
    })
  })
}
