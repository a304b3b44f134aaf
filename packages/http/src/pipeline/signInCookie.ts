import { Forbidden } from "@tapedeck/contract"
import { type Admitted, CrossSite, ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Connection by which a browser reached the service. */
export interface Connection {
  /** The connection is encrypted: cookies are `Secure`. */
  readonly isSecure: boolean
  /** The host is this machine, so no network is involved. */
  readonly isLocal: boolean
  /** Origins of the service's own pages. */
  readonly origins: ReadonlyArray<string>
}

const localHost = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

export const connectionOf = (
  request: Request,
  { publicUrl, signIn: { isTls } }: Pick<ServiceConfig["Service"], "publicUrl" | "signIn">
): Connection => {
  const { host = "" } = request.headers
  const isHttps = isTls || request.protocol === "https"
  const isLocal = localHost.test(host)
  const publicOrigin = new URL(publicUrl).origin
  return {
    // A proxy that is not configured as trusted may end TLS: the public address shows it.
    isSecure: isHttps || (!isLocal && publicOrigin.startsWith("https:")),
    isLocal,
    origins: [`${isHttps ? "https" : "http"}://${host}`, publicOrigin]
  }
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/**
 * Returns whether a page of another site may have made the request. A request that changes something has to name its origin: every
 * browser does, in one of two headers that no page can set.
 */
export const isCrossSite = (request: Request, { origins }: Connection): boolean => {
  if (isSafe(request.method)) return false
  const { origin, "sec-fetch-site": site } = request.headers
  if (site !== undefined) return site !== "same-origin"
  return origin === undefined || !origins.includes(origin)
}

/** `__Host-`: the browser takes it from an encrypted connection alone, for this host alone. */
const nameFor = ({ isSecure }: Connection, name: string): string =>
  isSecure ? `__Host-tapedeck_${name}` : `tapedeck_${name}`

/** The connection of a sign-in request: 403 unless it comes from a page of this origin over an encrypted connection. */
export const ownConnection = Effect.fnUntraced(function* (request: Request) {
  const connection = connectionOf(request, yield* ServiceConfig)
  if (isCrossSite(request, connection)) return yield* new CrossSite()
  if (!connection.isSecure && !connection.isLocal) return yield* new Forbidden({ message: notSecure })
  return connection
})

/** Refusal of a sign-in without encryption. Tells the administrator too which setting is missing. */
const notSecure =
  "Signing in takes an encrypted connection (https), but for names of this machine such as localhost. Behind a proxy that " +
  "speaks https, its address has to be among the server's trusted proxies, or the server's public address an https one"

/** The cookie of this name, if the request has it. */
export const readCookie = (request: Request, connection: Connection, name: string): string | undefined => {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  const wanted = nameFor(connection, name)
  for (const pair of cookie.split(";")) {
    const at = pair.indexOf("=")
    if (at !== -1 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The answer with the cookie, beside those that it has; `maxAgeSeconds` 0 takes it back. No page's script reads it. */
export const withCookie = (
  response: Response,
  connection: Connection,
  { maxAgeSeconds, name, value }: { readonly name: string; readonly value: string; readonly maxAgeSeconds: number }
): Response =>
  HttpServerResponse.setCookieUnsafe(response, nameFor(connection, name), value, {
    maxAge: `${maxAgeSeconds} seconds`,
    path: "/",
    httpOnly: true,
    secure: connection.isSecure,
    sameSite: "lax"
  })

export const SESSION_COOKIE = "session"

/** Marks a browser in which a user signed in before. It grants no access. */
export const BROWSER_COOKIE = "browser"

const browserKeepsSeconds = 180 * 24 * 3600

/** The response to a sign-in, with its cookies. */
export const withSignedIn = (
  response: Response,
  connection: Connection,
  { known, maxAgeSeconds, text }: Pick<Admitted, "known" | "maxAgeSeconds" | "text">
): Response =>
  withCookie(withCookie(response, connection, { name: SESSION_COOKIE, value: text, maxAgeSeconds }), connection, {
    name: BROWSER_COOKIE,
    value: known,
    maxAgeSeconds: browserKeepsSeconds
  })
