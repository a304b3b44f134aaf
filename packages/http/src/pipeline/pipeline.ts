import { type ApiError, MethodNotAllowed, NotFound, TooManyRequests, UriTooLong } from "@tapedeck/contract"
import { addressKey, authorize, type Caller, RequestIds, RequestOrigin, ServiceConfig, stage } from "@tapedeck/core"
import { Cause, Clock, Context, Effect, Option, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import { errorResponse, httpDate } from "../responses.ts"
import {
  type Answer as AnswerWith,
  allowedMethods,
  type Endpoint as EndpointWith,
  isGuarded,
  nearestEndpoint,
  type PublicServices,
  type RouteMatch as RouteMatchWith,
  routeName,
  type Services as ServicesWith,
  unknownQueryOf
} from "../routes.ts"
import { authenticate } from "./authenticate.ts"
import { preflightAnswer, withCors } from "./cors.ts"
import { apiErrorOf, failureOf, ownRule, type Refusal, rulesEverywhere } from "./refusals.ts"
import { jsonLimit, limitOf, refuseDeclared, withBody } from "./requestBody.ts"
import { queryProblem } from "./target.ts"
import { pageGate, tooManyUnsent, unsentAnswers } from "./unsentAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** Services that the pipeline itself uses. Those of the endpoint are in the same context, because `respond` requires them. */
type Services = ServicesWith<PublicServices>
type RouteMatch = RouteMatchWith<PublicServices>
type Endpoint = EndpointWith<PublicServices>
type Answer = AnswerWith<PublicServices>

/** A request, and the state of its processing. */
interface Exchange {
  readonly request: Request
  readonly match: RouteMatch
  readonly requestId: string
  readonly services: Context.Context<Services>
  caller: Caller | null
  body: Uint8Array | null
  /** The rule that the refusal itself names. */
  rule: string | undefined
}

/**
 * Answers a request in R1's order: size of target and body, token, rate, path and method, permission, query, endpoint; then it
 * adds the date and the request's id, and answers refusals and defects. The services of core come from the fiber's context, so
 * one app serves many worlds.
 */
export const respond = <R>(
  match: RouteMatchWith<R>
): Effect.Effect<Response, never, ServicesWith<PublicServices | R>> =>
  Effect.withFiber((fiber) => {
    const services = fiber.context as Context.Context<Services>
    const request = Context.get(services, HttpServerRequest.HttpServerRequest)
    const requestId = Context.get(services, RequestIds).next()
    const exchange: Exchange = {
      request,
      match: match as RouteMatch,
      requestId,
      services,
      caller: null,
      body: null,
      rule: undefined
    }
    return Effect.matchCauseEffect(
      Effect.provideService(
        Effect.suspend(() => answer(exchange)),
        RequestOrigin,
        new Origin(request)
      ),
      {
        onSuccess: (response) => finish(exchange, response),
        onFailure: (cause) => Effect.flatMap(afterFailure(exchange, cause), (response) => finish(exchange, response))
      }
    )
  })

/** The rest of a longer header is cut off. */
const maxUserAgentLength = 512

/** Origin of a request for the audit log; read on demand. */
class Origin {
  private readonly request: Request
  constructor(request: Request) {
    this.request = request
  }
  get ipAddress(): string | null {
    return Option.getOrNull(this.request.remoteAddress)
  }
  get userAgent(): string | null {
    return this.request.headers["user-agent"]?.slice(0, maxUserAgentLength) ?? null
  }
}

const maxTargetBytes = 8192

const targetTooLong = new UriTooLong({ message: `The request target is longer than ${maxTargetBytes} bytes` })

const noSuchPath = new NotFound({ message: "Not found" })

/** A step of the pipeline: it answers itself, or passes the request to the next step. */
type Step = (next: (exchange: Exchange) => Answer) => (exchange: Exchange) => Answer

const checkTargetSize: Step = (next) => (exchange) =>
  // A target is ASCII: its length is its size.
  exchange.request.url.length > maxTargetBytes ? Effect.fail(targetTooLong) : next(exchange)

const answerPreflight: Step = (next) => (exchange) => {
  const { match, request, services } = exchange
  const answered = (origins: ReadonlyArray<string>): Answer => {
    const preflight = preflightAnswer(request, match, origins)
    return preflight === undefined ? next(exchange) : Effect.succeed(preflight)
  }
  return match.root.allows !== undefined && request.method === "OPTIONS"
    ? Effect.flatMap(sharedWith(exchange), answered)
    : answered(Context.get(services, ServiceConfig).corsOrigins)
}

const checkDeclaredSize: Step = (next) => (exchange) => {
  const { match, request, services } = exchange
  const declared = refuseDeclared(request, limitOf(nearestEndpoint(match)?.body, services))
  return declared === undefined ? next(exchange) : Effect.fail(declared)
}

/** Requires a valid token (401) within its rate (429), for unknown paths too. */
const findCaller: Step = (next) => (exchange) => {
  const { match, request, services } = exchange
  if (!isGuarded(match)) return next(exchange)
  const known = (caller: Caller) => {
    exchange.caller = caller
  }
  const mayNote = () => refusalWaitMs(exchange) === 0
  return Effect.flatMap(stage("authenticate", authenticate(request, match.root, services, { known, mayNote })), () =>
    next(exchange)
  )
}

/** Reads the body, or waits for the turn of a page. Bodies of GET are not read (R21), nor those of unknown public paths. */
const readBody: Step = (next) => (exchange) => {
  const { match, request } = exchange
  const { endpoint } = match
  if (request.method === "GET" || request.method === "HEAD") {
    return isList(endpoint) ? pageGate.inTurn(`${budgetKey(exchange)} ${request.url}`, next(exchange)) : next(exchange)
  }
  const limit = endpoint?.body ?? jsonLimit
  if (limit === "upload" || (endpoint === null && !isGuarded(match))) return next(exchange)
  const onRead = (body: Uint8Array | null) => {
    exchange.body = body
  }
  return withBody(request, { limit, caller: budgetKey(exchange), onRead }, next(exchange))
}

/** 404, or 405 where the path exists for other methods. */
const findEndpoint = (exchange: Exchange): Answer => {
  const { match } = exchange
  if (match.endpoint !== null) return Effect.interruptible(callEndpoint(exchange, match.endpoint))
  if (match.others.length === 0) return Effect.fail(noSuchPath)
  const allow = allowedMethods(match)
  return Effect.fail(new MethodNotAllowed({ message: `This path allows ${allow.join(", ")} only`, allow }))
}

/** Checks the permission (403) and the query parameters (400), and calls the endpoint. */
const callEndpoint = ({ caller, match, request, services }: Exchange, endpoint: Endpoint): Answer => {
  const { params, search } = match
  const answer = (): Answer => {
    const problem = queryProblem(endpoint, search, isStrict(match, services))
    if (problem !== undefined) return Effect.fail(problem)
    if (endpoint.operation === null) return endpoint.answer({ request, params, search })
    return caller === null ? Effect.die("no caller") : endpoint.answer({ request, params, search, caller })
  }
  if (endpoint.operation === null || caller === null) return answer()
  return Effect.flatMapEager(authorize(caller, endpoint.operation), answer)
}

/** The steps in R1's order. */
const steps: ReadonlyArray<Step> = [checkTargetSize, answerPreflight, checkDeclaredSize, findCaller, readBody]

const answer = steps.reduceRight((next, step) => step(next), findEndpoint)

/** The origins whose pages may call: of the one that the request names, where the root decides. */
const sharedWith = ({ match, request, services }: Exchange): Effect.Effect<ReadonlyArray<string>, never, Services> => {
  const { allows } = match.root
  const { origin } = request.headers
  if (allows === undefined) return Effect.succeed(Context.get(services, ServiceConfig).corsOrigins)
  if (origin === undefined) return Effect.succeed([])
  return Effect.map(allows(origin, match.params), (isAllowed) => (isAllowed ? [origin] : []))
}

/** Returns whether the endpoint answers a page. */
const isList = (endpoint: Endpoint | null): boolean => endpoint?.parameters?.includes("page") === true

/** Returns whether unknown query parameters are refused: by the root, or in v2 and v1 by the world's configuration. */
const isStrict = (match: RouteMatch, services: Context.Context<Services>): boolean =>
  match.root.isStrict || (isGuarded(match) && Context.get(services, AppOptions).strictQueries)

/** Answers a refusal in its root's shape. Anything else is a defect, whose cause is only in the log (R3). */
const afterFailure = (exchange: Exchange, cause: Cause.Cause<Refusal>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const refusal = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (refusal !== undefined) {
    exchange.rule = ownRule(refusal)
    return Effect.succeed(errorResponseFor(exchange, apiErrorOf(refusal)))
  }
  const { match, request, requestId } = exchange
  const { error, logged } = failureOf(cause)
  return Effect.as(
    Effect.annotateLogs(logged, { request_id: requestId, method: request.method, route: routeName(match) }),
    errorResponseFor(exchange, error)
  )
}

/** The answer to an error, in the form of the root. */
const errorResponseFor = ({ match: { root }, request }: Exchange, error: ApiError): Response =>
  root.page?.(error, request) ?? errorResponse(root.version, error, root.scheme)

/** Refusals of the request itself. That a record is not there, or not in that state, makes no request invalid. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 413, 414, 415, 422])

const addressOf = ({ request }: Exchange): string =>
  `address ${addressKey(Option.getOrElse(request.remoteAddress, () => ""))}`

/** The owner of a share of the memory: a user with all tokens, and without a valid token an address. */
const budgetKey = (exchange: Exchange): string =>
  exchange.caller === null ? addressOf(exchange) : `user ${exchange.caller.user.id}`

/** Returns the key by which refusals are counted: the token, or the address if there is no valid token. */
const refusalKey = (exchange: Exchange): string =>
  exchange.caller === null ? addressOf(exchange) : `token ${exchange.caller.tokenId}`

const monotonicMs = ({ services }: Exchange): number =>
  Number(Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe() / 1_000_000n)

const refusalWaitMs = (exchange: Exchange): number =>
  Context.get(exchange.services, AppOptions).refusals?.waitMs(refusalKey(exchange), monotonicMs(exchange)) ?? 0

/** A refusal beyond the limit of refusals is 429 (R18). */
const limitRefusals = (exchange: Exchange, response: Response): Response => {
  const { match, services } = exchange
  if (response.status < 400 || match.root.access === "public") return response
  const limit = Context.get(services, AppOptions).refusals
  if (limit === null || !(refusedStatuses.has(response.status) || match.endpoint === null)) return response
  const waitMs = refusalWaitMs(exchange)
  if (waitMs === 0) {
    limit.count(refusalKey(exchange), monotonicMs(exchange))
    return response
  }
  exchange.rule = undefined
  return errorResponseFor(
    exchange,
    new TooManyRequests({ message: "Too many refused requests", retryAfterSeconds: Math.ceil(waitMs / 1000) })
  )
}

/** The section of the specification, or the decision, by which a request was refused; undefined for one that was not. */
const ruleOf = ({ match, rule }: Exchange, status: number): string | undefined => {
  if (status < 400) return undefined
  const named = rule ?? match.endpoint?.rules?.[status] ?? match.root.rules[status] ?? rulesEverywhere[status]
  return typeof named === "function" ? named(match.params) : named
}

/** Adds what every answer has, and calls the log. */
const finish = (exchange: Exchange, answered: Response): Effect.Effect<Response> => {
  const { request, services } = exchange
  const { ended } = unsentAnswers
  const response = unsentAnswers.admits(answered, budgetKey(exchange), request.source)
    ? limitRefusals(exchange, answered)
    : errorResponseFor(exchange, tooManyUnsent)
  if (unsentAnswers.ended === ended) return finishAdmitted(exchange, response)
  const logged = Effect.logWarning("Unread responses were interrupted, because others need their memory", {
    responses: unsentAnswers.ended - ended
  })
  return Effect.andThen(Effect.provideContext(logged, services), finishAdmitted(exchange, response))
}

const finishAdmitted = (exchange: Exchange, response: Response): Effect.Effect<Response> => {
  const { match, services } = exchange
  const now = Context.get(services, Clock.Clock).currentTimeMillisUnsafe()
  if (match.root.allows === undefined) {
    return finishFor(exchange, response, now, Context.get(services, ServiceConfig).corsOrigins)
  }
  // The header is set with or without an origin: a cache must not give a page the answer to another page.
  const varying = HttpServerResponse.setHeader(response, "vary", "Origin")
  return Effect.flatMap(Effect.provideContext(sharedWith(exchange), services), (origins) =>
    finishFor(exchange, origins.length === 0 ? varying : response, now, origins)
  )
}

/** Logs a body that fails after its status was sent, with the request's id and the bytes sent. */
const withBreakLogged = ({ request: { method }, requestId: request_id, services }: Exchange, response: Response) => {
  const { body } = response
  if (body._tag !== "Stream") return response
  let sent_bytes = 0
  const stream = body.stream.pipe(
    Stream.tap((piece) =>
      Effect.sync(() => {
        sent_bytes += piece.length
      })
    ),
    Stream.onError((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("The response was interrupted", cause).pipe(
            Effect.annotateLogs({ request_id, method, sent_bytes }),
            Effect.provideContext(services)
          )
    )
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
}

const finishFor = (
  exchange: Exchange,
  response: Response,
  now: number,
  origins: ReadonlyArray<string>
): Effect.Effect<Response> => {
  const { body, caller, match, request, requestId, services } = exchange
  const readable = withCors(request, match, origins, response)
  const watched = withBreakLogged(exchange, readable)
  const finished = HttpServerResponse.setHeaders(watched, {
    ...nearestEndpoint(match)?.headers,
    "x-request-id": requestId,
    date: httpDate(now)
  })
  const { log } = Context.get(services, AppOptions)
  if (log === null) return Effect.succeed(finished)
  const { method, url } = request
  const { status } = response
  const rule = ruleOf(exchange, status)
  const unknownQuery = isStrict(match, services) ? [] : unknownQueryOf(match)
  return Effect.as(log({ requestId, method, url, status, caller, rule, unknownQuery, body, response }), finished)
}
