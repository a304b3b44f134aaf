import { Unauthenticated } from "@tapedeck/contract"
import { AccessTokens, type Caller, RateLimiter, RefusedTokens, ServiceConfig, Sessions } from "@tapedeck/core"
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import type { PublicServices, Root, Services } from "../routes.ts"
import type { Refusal } from "./refusals.ts"
import { connectionOf, isCrossSite, readCookie, SESSION_COOKIE } from "./signInCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Identified = Effect.Effect<Caller, Refusal>

interface AuthenticateOptions {
  /** Called with the caller, also when the rate limit then refuses the request. */
  readonly known: (caller: Caller) => void
  /** Returns whether a refused token may be noted in the audit log: not beyond the limit of refusals. */
  readonly mayNote: () => boolean
}

const noToken = new Unauthenticated({ message: "Access token is missing, invalid or deactivated" })

/** The caller of the token or the session that the root accepts (401, 403), within the rate limit (429). */
export const authenticate = (
  request: Request,
  { access }: Pick<Root, "access">,
  services: Context.Context<Services<PublicServices>>,
  { known, mayNote }: AuthenticateOptions
): Identified => {
  const { authorization, cookie } = request.headers
  const mayBeSession = authorization === undefined && cookie !== undefined && access === "session"
  const identified = identify(request, services, { mayNote, mayBeSession })
  return Effect.flatMap(identified, (caller): Identified => {
    // A session is for the settings API alone (S1); a personal access token opens everything.
    if (caller.kind === "session" && access !== "session") return Effect.fail(noToken)
    known(caller)
    return Effect.as(Context.get(services, RateLimiter).admit(caller), caller)
  })
}

/** The caller of a request that was authenticated, as they are now. It does not count as a request. */
export const identifyAgain = (request: Request, services: Context.Context<Services<PublicServices>>): Identified =>
  identify(request, services, { mayNote: () => false, mayBeSession: true })

/** Returns whether the request has anything to authenticate it by. */
export const hasCredentials = ({ headers }: Request, services: Context.Context<AppOptions>): boolean =>
  headers.authorization !== undefined ||
  headers.cookie !== undefined ||
  Context.get(services, AppOptions).tokenOf !== null

/** Identifies the caller by `tokenOf` of the app's options; without one, by the token in `Authorization`, or by a session's cookie. */
const identify = (
  request: Request,
  services: Context.Context<Services<PublicServices>>,
  { mayBeSession, mayNote }: Pick<AuthenticateOptions, "mayNote"> & { readonly mayBeSession: boolean }
): Identified => {
  const { tokenOf } = Context.get(services, AppOptions)
  if (tokenOf !== null) {
    return Effect.flatMap(tokenOf(request), (token) =>
      token === null ? Effect.fail(noToken) : byToken(token, services, mayNote)
    )
  }
  const token = /^bearer +([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? "")?.[1]
  if (token !== undefined) return byToken(token, services, mayNote)
  return mayBeSession ? bySession(request, services) : Effect.fail(noToken)
}

const byToken = (
  token: string,
  services: Context.Context<Services<PublicServices>>,
  mayNote: () => boolean
): Identified =>
  Effect.catch(Context.get(services, AccessTokens).authenticate(token), (refusal) => {
    const refused = Effect.fail(refusal)
    return mayNote() ? Effect.andThen(Context.get(services, RefusedTokens).note(token), refused) : refused
  })

/** Identifies the caller by the session cookie. A browser also sends it with requests that pages of other sites make. */
const bySession = (request: Request, services: Context.Context<Services<PublicServices>>): Identified => {
  const connection = connectionOf(request, Context.get(services, ServiceConfig))
  const cookie = readCookie(request, connection, SESSION_COOKIE)
  if (cookie === undefined) return Effect.fail(noToken)
  const sessions = Context.get(services, Sessions)
  const authenticated = sessions.authenticate(cookie)
  return isCrossSite(request, connection) ? Effect.flatMap(authenticated, sessions.refuseCrossSite) : authenticated
}
