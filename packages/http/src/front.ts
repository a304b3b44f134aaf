import {
  type ApiVersion,
  Forbidden,
  Internal,
  MethodNotAllowed,
  NotFound,
  type TooManyRequests,
  Unauthenticated,
  UriTooLong
} from "@tapedeck/contract"
import {
  AccessTokens,
  type Caller,
  RateLimiter,
  RefusedTokens,
  RequestIds,
  RequestOrigin,
  ServiceConfig,
  Sessions,
  SignInPolicy
} from "@tapedeck/core"
import { Cause, Clock, Context, Effect, Option, type Scope } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentCaller } from "./CurrentCaller.ts"
import { httpDate } from "./httpDate.ts"
import { limitBody } from "./jsonBody.ts"
import { isApi, isSettings, pathOf, versionOf } from "./paths.ts"
import { RequestLog } from "./RequestLog.ts"
import { tooManyRequests, unauthenticated } from "./refusals.ts"
import { Origin } from "./requestOrigin.ts"
import { errorResponse } from "./responses.ts"
import { ruleOf } from "./rules.ts"
import { importLimit, isTranscriptImport } from "./settings/transcriptImport.ts"
import { isUpload, limitUpload } from "./settings/upload.ts"
import { connectionOf, isCrossSite, readCookie, SESSION_COOKIE } from "./signInCookie.ts"

type Response = HttpServerResponse.HttpServerResponse

export interface FrontOptions<E, R> {
  /** Answers what the front lets through; fails with `RouteNotFound` where there is no such endpoint. */
  readonly routes: (path: string) => Effect.Effect<Response, E, R>
  /** Answers a request that needs no routing; undefined where it does. */
  readonly direct: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Response, E, R> | undefined
  /** The methods that a path exists for. */
  readonly allowed: (path: string) => Effect.Effect<ReadonlyArray<string>>
  /** Whether the path, which is below `/api`, wants no token. */
  readonly isPublic: (path: string) => boolean
}

/** A request on its way through, and what became known of it. */
interface Passage {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly requestId: string
  /** Null for a target that names no path. */
  readonly path: string | null
  /** In whose shape it is refused. */
  readonly version: ApiVersion
  caller: Caller | null
}

/**
 * All that comes before and after the endpoints, in R1's order: size of target and body, token, rate, path and method;
 * then the date, the request's id, and the answer to what went wrong. What it needs of core it takes from the fiber's
 * context at each request, so that one front serves many worlds.
 */
export const front = <E, R>(
  options: FrontOptions<E, R>
): Effect.Effect<
  Response,
  never,
  | Exclude<R, CurrentCaller>
  | AccessTokens
  | RateLimiter
  | RefusedTokens
  | RequestIds
  | ServiceConfig
  | Sessions
  | HttpServerRequest.HttpServerRequest
  | Scope.Scope
> =>
  Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const path = pathOf(request.url)
    const passage: Passage = {
      request,
      requestId: Context.getUnsafe(fiber.context, RequestIds).next(),
      path,
      version: versionOf(path),
      caller: null
    }
    return answer(options, passage).pipe(
      Effect.catchCause((cause) => afterFailure(options, passage, cause)),
      Effect.flatMap((response) => finish(passage, response))
    )
  })

const maxTargetBytes = 8192

/** 414, 413, then who asks. */
const answer = <E, R>(options: FrontOptions<E, R>, passage: Passage) => {
  const { path, request, version } = passage
  // A target is ASCII: its length is its size.
  if (request.url.length > maxTargetBytes) {
    const message = `The request target is longer than ${maxTargetBytes} bytes`
    return Effect.succeed(errorResponse(version, new UriTooLong({ message })))
  }
  const limited = limitedBody(request, path)
  if (limited === undefined) return admit(options, passage)
  return Effect.matchEffect(limited, {
    onFailure: (refusal) => Effect.succeed(errorResponse(version, refusal)),
    onSuccess: () => admit(options, passage)
  })
}

const limitedBody = (request: HttpServerRequest.HttpServerRequest, path: string | null) => {
  if (isUpload(request.method, path)) return limitUpload(request)
  return limitBody(request, isTranscriptImport(request.method, path) ? importLimit : undefined)
}

/** 401 and 429, for unknown paths too; then the endpoint. */
const admit = <E, R>({ direct, routes, isPublic }: FrontOptions<E, R>, passage: Passage) => {
  const { request, path, version } = passage
  if (path === null || !isApi(path) || isPublic(path)) {
    // No route outside the API asks who calls; one that did would end as a 500, not as somebody.
    // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
    const answered = routes(path ?? "") as Effect.Effect<Response, E, Exclude<R, CurrentCaller>>
    return Effect.provideService(answered, RequestOrigin, new Origin(request))
  }
  return Effect.matchEffect(identify(passage, path), {
    onFailure: (refusal) => Effect.succeed(errorResponse(version, refusal)),
    onSuccess: (caller) => {
      return Effect.updateContext(
        direct(request) ?? routes(path),
        (context: Context.Context<Exclude<R, CurrentCaller>>) =>
          Context.add(
            Context.add(context, CurrentCaller, caller),
            RequestOrigin,
            new Origin(request)
          ) as Context.Context<R>
      )
    }
  })
}

/** Who calls. Whom the rate limit stops is known too, and told to the log. */
const identify = (passage: Passage, path: string) =>
  Effect.withFiber((fiber) => {
    const { request } = passage
    const { authorization } = request.headers
    const isSignedIn = authorization === undefined && request.headers.cookie !== undefined && isSettings(path)
    const token = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1]
    if (token === undefined && !isSignedIn) return Effect.fail(noToken)
    const limiter = Context.getUnsafe(fiber.context, RateLimiter)
    const authenticated =
      token === undefined ? bySession(request, fiber.context) : byToken(request, fiber.context, token)
    return Effect.flatMap(authenticated, (caller): Effect.Effect<Caller, Refusal> => {
      // A session is for the settings API alone (S1); a personal access token opens everything.
      if (caller.kind === "session" && !isSettings(path)) return Effect.fail(noToken)
      passage.caller = caller
      return Effect.as(Effect.mapError(limiter.admit(caller), tooManyRequests), caller)
    })
  })

type Refusal = Forbidden | Unauthenticated | TooManyRequests

/** What is in the fiber's context for every request to the API. */
type Services = Context.Context<never>

const byToken = (request: HttpServerRequest.HttpServerRequest, services: Services, token: string) => {
  const { authenticate } = Context.getUnsafe(services, AccessTokens)
  const { note } = Context.getUnsafe(services, RefusedTokens)
  return Effect.catch(authenticate(token), (refusal) =>
    Effect.andThen(
      Effect.provideService(note(token), RequestOrigin, new Origin(request)),
      Effect.fail(unauthenticated(refusal))
    )
  )
}

/** By the cookie that signing in gave the browser, which sends it with whatever any page makes it send. */
const bySession = (request: HttpServerRequest.HttpServerRequest, services: Services) => {
  const { isTls } = Context.get(services, SignInPolicy)
  const { publicUrl } = Context.getUnsafe(services, ServiceConfig)
  const connection = connectionOf(request, { isTls, publicUrl })
  const cookie = readCookie(request, connection, SESSION_COOKIE)
  if (cookie === undefined) return Effect.fail(noToken)
  const sessions = Context.getUnsafe(services, Sessions)
  const authenticated = Effect.mapError(sessions.authenticate(cookie), unauthenticated)
  if (!isCrossSite(request, connection)) return authenticated
  return Effect.flatMap(authenticated, (caller) =>
    Effect.provideService(sessions.refuseCrossSite(caller), RequestOrigin, new Origin(request))
  ).pipe(Effect.catchTag("CrossSite", ({ message }) => Effect.fail(new Forbidden({ message }))))
}

const noToken = new Unauthenticated({ message: "Access token is missing, invalid or deactivated" })

/** 404 and 405 for what is no endpoint; everything else is ours, and stays in the log (R3). */
const afterFailure = <E, R>(
  { allowed }: FrontOptions<E, R>,
  { path, version, requestId, request }: Passage,
  cause: Cause.Cause<E>
): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isRouteNotFound(error)) {
    if (path === null) return Effect.succeed(errorResponse(version, noSuchPath))
    return Effect.map(allowed(path), (methods) => errorResponse(version, notFound(methods)))
  }
  return Effect.as(
    Effect.annotateLogs(Effect.logError("A request failed", cause), { request_id: requestId, method: request.method }),
    errorResponse(version, new Internal({ message: "Internal server error" }))
  )
}

export const isRouteNotFound = (error: unknown): boolean =>
  error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"

const noSuchPath = new NotFound({ message: "Not found" })

/** 405 where the path exists for other methods. */
const notFound = (methods: ReadonlyArray<string>) =>
  methods.length === 0
    ? noSuchPath
    : new MethodNotAllowed({ message: `This path allows ${methods.join(", ")} only`, allow: methods })

/** What every answer carries, and the log's entry. */
const finish = ({ request, requestId, caller, path }: Passage, response: Response) =>
  Effect.withFiber((fiber) => {
    const now = Context.get(fiber.context, Clock.Clock).currentTimeMillisUnsafe()
    const finished = HttpServerResponse.setHeaders(response, { "x-request-id": requestId, date: httpDate(now) })
    const log = Context.get(fiber.context, RequestLog)
    if (log === null) return Effect.succeed(finished)
    const { method, url } = request
    const { status } = response
    const rule = status < 400 ? undefined : ruleOf({ method, path, status, message: messageOf(response) })
    const entry = { requestId, method, url, status, caller, rule }
    return Effect.as(log(entry), finished)
  })

/** What a refusal says, as text: for the log alone. */
const messageOf = ({ body }: Response): string =>
  body._tag === "Uint8Array" ? (body.text ?? Buffer.from(body.body).toString("utf8")) : ""
