import {
  type ApiVersion,
  Forbidden,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
  TooManyRequests,
  Unauthenticated,
  UriTooLong
} from "@tapedeck/contract"
import {
  AccessTokens,
  addressKey,
  type Caller,
  RateLimiter,
  RefusedTokens,
  RequestIds,
  RequestOrigin,
  ServiceConfig,
  Sessions,
  SignInPolicy,
  storageFullIn,
  UploadLimit
} from "@tapedeck/core"
import { Cause, Clock, Context, Effect, Option, type Scope } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentCaller } from "./CurrentCaller.ts"
import { preflightAnswer, withCors } from "./cors.ts"
import { httpDate } from "./httpDate.ts"
import { canExist, isApi, isSettings, pathOf, versionOf } from "./paths.ts"
import { RefusalLimit } from "./RefusalLimit.ts"
import { RequestLog } from "./RequestLog.ts"
import { tooManyRequests, unauthenticated } from "./refusals.ts"
import { type BodyLimit, type BodyRefusal, jsonLimit, refuseDeclared, signInLimit, withBody } from "./requestBody.ts"
import { Origin } from "./requestOrigin.ts"
import { errorResponse } from "./responses.ts"
import { ruleOf } from "./rules.ts"
import { importLimit, isTranscriptImport } from "./settings/transcriptImport.ts"
import { isUpload, uploadLimit } from "./settings/upload.ts"
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
  /** Whether the path, or the method on it, does not exist. */
  isUnknown: boolean
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
      caller: null,
      isUnknown: false
    }
    return answer(options, passage).pipe(
      Effect.catchCause((cause) => afterFailure(options, passage, cause)),
      Effect.flatMap((response) => finish(passage, limitRefusals(passage, response, fiber.context)))
    )
  })

const maxTargetBytes = 8192

/** 414, a preflight, 413 by the declared length, then who asks. */
const answer = <E, R>(options: FrontOptions<E, R>, passage: Passage) => {
  const { request, version } = passage
  // A target is ASCII: its length is its size.
  if (request.url.length > maxTargetBytes) {
    const message = `The request target is longer than ${maxTargetBytes} bytes`
    return Effect.succeed(errorResponse(version, new UriTooLong({ message })))
  }
  return Effect.withFiber((fiber) => {
    const { corsOrigins } = Context.getUnsafe(fiber.context, ServiceConfig)
    const preflight = preflightAnswer(request, corsOrigins)
    if (preflight !== undefined) return Effect.succeed(preflight)
    const limit = bodyLimitOf(options, passage, fiber.context)
    const refusal = refuseDeclared(request, limit)
    return refusal === undefined ? admit(options, passage, limit) : Effect.succeed(errorResponse(version, refusal))
  })
}

const bodyLimitOf = <E, R>(
  { isPublic }: FrontOptions<E, R>,
  { path, request: { method } }: Passage,
  services: Services
): BodyLimit => {
  if (isUpload(method, path)) return uploadLimit(Context.get(services, UploadLimit))
  if (isTranscriptImport(method, path)) return importLimit
  return path !== null && isPublic(path) ? signInLimit : jsonLimit
}

/** Whether the body is read before the endpoint. Bodies of GET are not read (R21). */
const isBuffered = ({ path, request: { method } }: Passage): boolean =>
  method !== "GET" && method !== "HEAD" && !isUpload(method, path)

/** The body, now that it is known whose it is (R1); then the endpoint. */
const withBodyRead = <E, R>(
  passage: Passage,
  limit: BodyLimit,
  answer: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R> => {
  if (!isBuffered(passage)) return answer
  const refuse = (refusal: BodyRefusal) => errorResponse(passage.version, refusal)
  return withBody(passage.request, limit, { answer, refuse })
}

/** 401 and 429, for unknown paths too; then the body and the endpoint. */
const admit = <E, R>({ direct, routes, isPublic }: FrontOptions<E, R>, passage: Passage, limit: BodyLimit) => {
  const { request, path, version } = passage
  if (path === null || !isApi(path) || isPublic(path)) {
    // No route outside the API asks who calls; one that did would end as a 500, not as somebody.
    // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
    const answered = routes(path ?? "") as Effect.Effect<Response, E, Exclude<R, CurrentCaller>>
    const answer = Effect.provideService(answered, RequestOrigin, new Origin(request))
    return path !== null && isPublic(path) ? withBodyRead(passage, limit, answer) : answer
  }
  return Effect.matchEffect(identify(passage, path), {
    onFailure: (refusal) => Effect.succeed(errorResponse(version, refusal)),
    onSuccess: (caller) => {
      if (!canExist(path)) {
        passage.isUnknown = true
        return Effect.succeed(errorResponse(version, noSuchPath))
      }
      return Effect.updateContext(
        direct(request) ?? withBodyRead(passage, limit, routes(path)),
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
      token === undefined ? bySession(request, fiber.context) : byToken(passage, fiber.context, token)
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

const byToken = (passage: Passage, services: Services, token: string) => {
  const { authenticate } = Context.getUnsafe(services, AccessTokens)
  const { note } = Context.getUnsafe(services, RefusedTokens)
  return Effect.catch(authenticate(token), (refusal) => {
    const refused = Effect.fail(unauthenticated(refusal))
    // Beyond the limit nothing is written down any more.
    if (refusalWaitMs(passage, services) > 0) return refused
    return Effect.andThen(Effect.provideService(note(token), RequestOrigin, new Origin(passage.request)), refused)
  })
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
  passage: Passage,
  cause: Cause.Cause<E>
): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const { path, version, requestId, request } = passage
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isRouteNotFound(error)) {
    passage.isUnknown = true
    if (path === null) return Effect.succeed(errorResponse(version, noSuchPath))
    return Effect.map(allowed(path), (methods) => errorResponse(version, notFound(methods)))
  }
  const full = storageFullIn(cause)
  const logged =
    full === undefined
      ? Effect.logError("A request failed", cause)
      : Effect.logError(`No space is left for ${full.path}`)
  const refusal =
    full === undefined
      ? new Internal({ message: "Internal server error" })
      : new InsufficientStorage({ message: full.message })
  return Effect.as(
    Effect.annotateLogs(logged, { request_id: requestId, method: request.method }),
    errorResponse(version, refusal)
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

/** Refusals of the request itself. That a record is not there, or not in that state, makes no request invalid. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 413, 414, 415, 422])

/** By whom refusals are counted: the token, or, where there is none that is good, the address. */
const refusalKey = ({ caller, request }: Passage): string =>
  caller === null
    ? `address ${addressKey(Option.getOrElse(request.remoteAddress, () => ""))}`
    : `token ${caller.tokenId}`

const monotonicMs = (services: Services): number =>
  Number(Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe() / 1_000_000n)

const refusalWaitMs = (passage: Passage, services: Services): number =>
  Context.get(services, RefusalLimit)?.waitMs(refusalKey(passage), monotonicMs(services)) ?? 0

/** A refusal beyond the limit of refusals is 429 (R18). */
const limitRefusals = (passage: Passage, response: Response, services: Services): Response => {
  const limit = Context.get(services, RefusalLimit)
  const isRefused = refusedStatuses.has(response.status) || passage.isUnknown
  if (limit === null || !isRefused || passage.path === null || !isApi(passage.path)) return response
  const waitMs = refusalWaitMs(passage, services)
  if (waitMs === 0) {
    limit.count(refusalKey(passage), monotonicMs(services))
    return response
  }
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return errorResponse(
    passage.version,
    new TooManyRequests({ message: "Too many refused requests", retryAfterSeconds })
  )
}

/** What every answer carries, and the log's entry. */
const finish = ({ request, requestId, caller, path }: Passage, response: Response) =>
  Effect.withFiber((fiber) => {
    const now = Context.get(fiber.context, Clock.Clock).currentTimeMillisUnsafe()
    const { corsOrigins } = Context.getUnsafe(fiber.context, ServiceConfig)
    const readable = withCors(request, corsOrigins, response)
    const finished = HttpServerResponse.setHeaders(readable, { "x-request-id": requestId, date: httpDate(now) })
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
