import {
  type ApiError,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
  ServiceUnavailable,
  TooManyRequests,
  UriTooLong
} from "@tapedeck/contract"
import {
  addressKey,
  authorize,
  type Caller,
  RequestIds,
  RequestOrigin,
  ServiceConfig,
  storeFailureIn
} from "@tapedeck/core"
import { suggest } from "@tapedeck/core/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain"
import { Cause, Clock, Context, Effect, Option, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { authenticate } from "./authenticate.ts"
import { preflightAnswer, withCors } from "./cors.ts"
import { RequestLog, StrictQueries } from "./host.ts"
import { RefusalLimit } from "./RefusalLimit.ts"
import { apiErrorOf, ownRule, type Refusal, refuseParameters, rulesEverywhere } from "./refusals.ts"
import { jsonLimit, limitOf, refuseDeclared, withBody } from "./requestBody.ts"
import { errorResponse, httpDate } from "./responses.ts"
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
} from "./routes.ts"
import { pageGate, tooManyUnsent, unsentAnswers } from "./unsentAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** What the pipeline itself uses. What the endpoint uses besides is in the same context, because `respond` requires it. */
type Services = ServicesWith<PublicServices>
type RouteMatch = RouteMatchWith<PublicServices>
type Endpoint = EndpointWith<PublicServices>
type Answer = AnswerWith<PublicServices>

/** A request, and what the pipeline knows of it so far. */
interface Exchange {
  readonly request: Request
  readonly match: RouteMatch
  readonly requestId: string
  readonly services: Context.Context<Services>
  caller: Caller | null
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

/** Where a request came from, for the audit log; read on demand. */
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

/** 414, a preflight, 413 by the declared length, then 401 and 429, for unknown paths too. */
const answer = (exchange: Exchange): Answer => {
  const { match, request, services } = exchange
  // A target is ASCII: its length is its size.
  if (request.url.length > maxTargetBytes) return Effect.fail(targetTooLong)
  const { origin } = request.headers
  if (match.root.allows !== undefined && request.method === "OPTIONS" && origin !== undefined) {
    return Effect.flatMap(sharedWith(exchange), (origins) => {
      const preflight = preflightAnswer(request, match, origins)
      return preflight === undefined ? answerAfterPreflight(exchange) : Effect.succeed(preflight)
    })
  }
  const preflight = preflightAnswer(request, match, Context.get(services, ServiceConfig).corsOrigins)
  return preflight === undefined ? answerAfterPreflight(exchange) : Effect.succeed(preflight)
}

/** The origins whose pages may call: of the one that the request names, where the root decides. */
const sharedWith = ({ match, request, services }: Exchange): Effect.Effect<ReadonlyArray<string>, never, Services> => {
  const { allows } = match.root
  const { origin } = request.headers
  if (allows === undefined) return Effect.succeed(Context.get(services, ServiceConfig).corsOrigins)
  if (origin === undefined) return Effect.succeed([])
  return Effect.map(allows(origin, match.params), (isAllowed) => (isAllowed ? [origin] : []))
}

const answerAfterPreflight = (exchange: Exchange): Answer => {
  const { match, request, services } = exchange
  const declared = refuseDeclared(request, limitOf(nearestEndpoint(match)?.body, services))
  if (declared !== undefined) return Effect.fail(declared)
  if (!isGuarded(match)) return match.endpoint === null ? unknown(match) : withBodyRead(exchange, match.endpoint)
  const known = (caller: Caller) => {
    exchange.caller = caller
  }
  return Effect.flatMap(
    authenticate(request, match.root, services, { known, mayNote: () => refusalWaitMs(exchange) === 0 }),
    () => withBodyRead(exchange, match.endpoint)
  )
}

const noSuchPath = new NotFound({ message: "Not found" })

/** 404, or 405 where the path exists for other methods. */
const unknown = (match: RouteMatch): Effect.Effect<never, ApiError> => {
  if (match.others.length === 0) return Effect.fail(noSuchPath)
  const allow = allowedMethods(match)
  return Effect.fail(new MethodNotAllowed({ message: `This path allows ${allow.join(", ")} only`, allow }))
}

/** Reads the body of an authenticated request (R1), then calls the endpoint. Bodies of GET are not read (R21). */
const withBodyRead = (exchange: Exchange, endpoint: Endpoint | null): Answer => {
  const { match, request } = exchange
  const entered = endpoint === null ? unknown(match) : Effect.interruptible(enter(exchange, endpoint))
  if (request.method === "GET" || request.method === "HEAD") {
    return isList(endpoint) ? pageGate.inTurn(`${budgetKey(exchange)} ${request.url}`, entered) : entered
  }
  if (endpoint?.body === "upload") return entered
  return withBody(request, { limit: endpoint?.body ?? jsonLimit, caller: budgetKey(exchange) }, entered)
}

/** Whether the endpoint answers a page. */
const isList = (endpoint: Endpoint | null): boolean => endpoint?.parameters?.includes("page") === true

/** Checks the permission (403) and the query parameters (400), and calls the endpoint. */
const enter = ({ caller, match, request, services }: Exchange, endpoint: Endpoint): Answer => {
  const { params, search } = match
  const answer = (): Answer => {
    const problem = queryProblem(endpoint, match, isStrict(match, services))
    if (problem !== undefined) return Effect.fail(problem)
    if (endpoint.operation === null) return endpoint.answer({ request, params, search })
    return caller === null ? Effect.die("no caller") : endpoint.answer({ request, params, search, caller })
  }
  if (endpoint.operation === null || caller === null) return answer()
  return Effect.flatMapEager(authorize(caller, endpoint.operation), answer)
}

/** Whether unknown query parameters are refused: by the root, or in v2 and v1 by the world's configuration. */
const isStrict = (match: RouteMatch, services: Context.Context<Services>): boolean =>
  match.root.isStrict || (isGuarded(match) && Context.get(services, StrictQueries))

/** Maximum number of problems in one message. */
const maxNamed = 20

/**
 * What is wrong with a query before its values are decoded: a known parameter given more than once, text that no store
 * keeps, and, where it is strict, unknown parameters. Undefined where nothing is.
 */
const queryProblem = (endpoint: Endpoint, { search }: RouteMatch, strict: boolean): Refusal | undefined => {
  const known = endpoint.parameters ?? []
  if (isPlain(search, known, strict)) return undefined
  const problems = new Map<string, string>()
  for (const [name, given] of Object.entries(search)) {
    if (problems.size >= maxNamed) break
    const values = typeof given === "string" ? [given] : given
    if (known.includes(name)) {
      if (values.length > 1) problems.set(`${name} must be given once`, name)
      if (!values.every(isStorableText)) problems.set(`${name} ${UNSTORABLE_TEXT}`, name)
    } else if (strict) problems.set(unknownParameter(name, known), name)
  }
  if (problems.size === 0) return undefined
  return refuseParameters(endpoint, problems.values(), [...problems.keys()].join("; "))
}

/** Whether nothing is wrong. It allocates nothing: most queries need no other check. */
const isPlain = (search: RouteMatch["search"], known: ReadonlyArray<string>, strict: boolean): boolean => {
  for (const name in search) {
    const value = search[name]
    if (typeof value !== "string" || (known.includes(name) ? !isStorableText(value) : strict)) return false
  }
  return true
}

const unknownParameter = (name: string, known: ReadonlyArray<string>): string => {
  const meant = suggest(name, known)
  return `${name} is not a query parameter here${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

/** Answers a refusal in its root's shape. Anything else is a defect, whose cause is only in the log (R3). */
const afterFailure = (exchange: Exchange, cause: Cause.Cause<Refusal>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const refusal = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (refusal !== undefined) {
    exchange.rule = ownRule(refusal)
    return Effect.succeed(errorResponseFor(exchange, apiErrorOf(refusal)))
  }
  const { error, logged } = failureOf(exchange, cause)
  return Effect.as(
    Effect.annotateLogs(logged, { request_id: exchange.requestId, method: exchange.request.method }),
    errorResponseFor(exchange, error)
  )
}

/** How long a caller waits before it repeats what the store had no turn for. */
const busySeconds = 1

/** How long a caller waits before it asks for what the database did not answer. */
const unavailableSeconds = 5

const failureOf = (
  { match }: Exchange,
  cause: Cause.Cause<unknown>
): { readonly error: ApiError; readonly logged: Effect.Effect<void> } => {
  const failure = storeFailureIn(cause)
  switch (failure?._tag) {
    case "StorageFull":
      return {
        error: new InsufficientStorage({ message: failure.message }),
        logged: Effect.logError("No space is left", { path: failure.path })
      }
    case "StoreBusy":
      return {
        error: new ServiceUnavailable({ message: failure.message, retryAfterSeconds: busySeconds }),
        logged: Effect.annotateLogs(Effect.logError("A request was refused: its transaction conflicted at each try"), {
          route: routeName(match),
          tries: failure.tries
        })
      }
    case "StoreUnavailable":
      return {
        error: new ServiceUnavailable({ message: failure.message, retryAfterSeconds: unavailableSeconds }),
        logged: Effect.annotateLogs(Effect.logError("A request was refused: the database does not respond", cause), {
          route: routeName(match)
        })
      }
    default:
      return {
        error: new Internal({ message: "Internal server error" }),
        logged: Effect.logError("A request failed", cause)
      }
  }
}

/** The answer to an error, in the form of the root. */
const errorResponseFor = ({ match: { root }, request }: Exchange, error: ApiError): Response =>
  root.page?.(error, request) ?? errorResponse(root.version, error)

/** Refusals of the request itself. That a record is not there, or not in that state, makes no request invalid. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 413, 414, 415, 422])

const addressOf = ({ request }: Exchange): string =>
  `address ${addressKey(Option.getOrElse(request.remoteAddress, () => ""))}`

/** The owner of a share of the memory: a user with all tokens, and without a valid token an address. */
const budgetKey = (exchange: Exchange): string =>
  exchange.caller === null ? addressOf(exchange) : `user ${exchange.caller.user.id}`

/** What refusals are counted by: a token, and without a valid one an address. */
const refusalKey = (exchange: Exchange): string =>
  exchange.caller === null ? addressOf(exchange) : `token ${exchange.caller.tokenId}`

const monotonicMs = ({ services }: Exchange): number =>
  Number(Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe() / 1_000_000n)

const refusalWaitMs = (exchange: Exchange): number =>
  Context.get(exchange.services, RefusalLimit)?.waitMs(refusalKey(exchange), monotonicMs(exchange)) ?? 0

/** A refusal beyond the limit of refusals is 429 (R18). */
const limitRefusals = (exchange: Exchange, response: Response): Response => {
  const { match, services } = exchange
  if (response.status < 400 || match.root.access === "public") return response
  const limit = Context.get(services, RefusalLimit)
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
  const { match, request, services } = exchange
  const response = unsentAnswers.admits(answered, budgetKey(exchange), request.source)
    ? limitRefusals(exchange, answered)
    : errorResponseFor(exchange, tooManyUnsent)
  const now = Context.get(services, Clock.Clock).currentTimeMillisUnsafe()
  if (match.root.allows === undefined) {
    return finishFor(exchange, response, now, Context.get(services, ServiceConfig).corsOrigins)
  }
  // With or without an origin: a cache must not give a page what another got.
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
  const { caller, match, request, requestId, services } = exchange
  const readable = withCors(request, match, origins, response)
  const watched = withBreakLogged(exchange, readable)
  const finished = HttpServerResponse.setHeaders(watched, {
    ...nearestEndpoint(match)?.headers,
    "x-request-id": requestId,
    date: httpDate(now)
  })
  const log = Context.get(services, RequestLog)
  if (log === null) return Effect.succeed(finished)
  const { method, url } = request
  const { status } = response
  const rule = ruleOf(exchange, status)
  const unknownQuery = isStrict(match, services) ? [] : unknownQueryOf(match)
  return Effect.as(log({ requestId, method, url, status, caller, rule, unknownQuery }), finished)
}
