import { Unauthenticated } from "@tapedeck/contract"
import {
  AccessTokens,
  type Caller,
  RateLimiter,
  RefusedTokens,
  ServiceConfig,
  Sessions,
  SignInPolicy
} from "@tapedeck/core"
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Refusal } from "./refusals.ts"
import type { Root, Services } from "./routes.ts"
import { connectionOf, isCrossSite, readCookie, SESSION_COOKIE } from "./signInCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Identified = Effect.Effect<Caller, Refusal>

interface AuthenticateOptions {
  /** Called with the caller, also when the rate limit then refuses the request. */
  readonly known: (caller: Caller) => void
  /** Whether a refused token may be noted in the audit log: not beyond the limit of refusals. */
  readonly mayNote: () => boolean
}

const noToken = new Unauthenticated({ message: "Access token is missing, invalid or deactivated" })

/** The caller of the token or the session that the root accepts (401, 403), within the rate limit (429). */
export const authenticate = (
  request: Request,
  { access }: Root,
  services: Context.Context<Services>,
  { known, mayNote }: AuthenticateOptions
): Identified => {
  const { authorization, cookie } = request.headers
  const isSignedIn = authorization === undefined && cookie !== undefined && access === "session"
  const token = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1]
  if (token === undefined && !isSignedIn) return Effect.fail(noToken)
  const authenticated = token === undefined ? bySession(request, services) : byToken(token, services, mayNote)
  return Effect.flatMap(authenticated, (caller): Identified => {
    // A session is for the settings API alone (S1); a personal access token opens everything.
    if (caller.kind === "session" && access !== "session") return Effect.fail(noToken)
    known(caller)
    return Effect.as(Context.get(services, RateLimiter).admit(caller), caller)
  })
}

/** The caller of a request that was authenticated, as they are now. It does not count as a request. */
export const identifyAgain = (request: Request, services: Context.Context<Services>): Identified => {
  const token = /^bearer +([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? "")?.[1]
  return token === undefined ? bySession(request, services) : byToken(token, services, () => false)
}

const byToken = (token: string, services: Context.Context<Services>, mayNote: () => boolean): Identified =>
  Effect.catch(Context.get(services, AccessTokens).authenticate(token), (refusal) => {
    const refused = Effect.fail(refusal)
    return mayNote() ? Effect.andThen(Context.get(services, RefusedTokens).note(token), refused) : refused
  })

/** By the session cookie. A browser also sends it with requests that pages of other sites make. */
const bySession = (request: Request, services: Context.Context<Services>): Identified => {
  const { isTls } = Context.get(services, SignInPolicy)
  const { publicUrl } = Context.get(services, ServiceConfig)
  const connection = connectionOf(request, { isTls, publicUrl })
  const cookie = readCookie(request, connection, SESSION_COOKIE)
  if (cookie === undefined) return Effect.fail(noToken)
  const sessions = Context.get(services, Sessions)
  const authenticated = sessions.authenticate(cookie)
  return isCrossSite(request, connection) ? Effect.flatMap(authenticated, sessions.refuseCrossSite) : authenticated
}
