import {
  type ApiError,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
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
  storageFullIn
} from "@tapedeck/core"
import { suggest } from "@tapedeck/core/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain"
import { Cause, Clock, Context, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { authenticate } from "./authenticate.ts"
import { preflightAnswer, withCors } from "./cors.ts"
import { RequestLog } from "./host.ts"
import { RefusalLimit } from "./RefusalLimit.ts"
import { apiErrorOf, ownRule, type Refusal, refuseParameters, rulesEverywhere } from "./refusals.ts"
import { jsonLimit, limitOf, refuseDeclared, withBody } from "./requestBody.ts"
import { errorResponse, httpDate } from "./responses.ts"
import {
  type Answer,
  allowedMethods,
  type Endpoint,
  endpointNear,
  isGuarded,
  type Place,
  type Services
} from "./routes.ts"
import { inTurn, tooManyUnsent, unsentAnswers } from "./unsentAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** A request on its way through, and what became known of it. */
interface Passage {
  readonly request: Request
  readonly place: Place
  readonly requestId: string
  readonly services: Context.Context<Services>
  caller: Caller | null
  /** The rule that a refusal named itself. */
  rule: string | undefined
}

/**
 * Answers a request, in R1's order: size of target and body, token, rate, path and method, permission, query, the endpoint;
 * then the date, the request's id, and the answer to what went wrong. All that it needs of core it takes from the fiber's
 * context, so that one app serves many worlds.
 */
export const answerAt = (place: Place): Effect.Effect<Response, never, Services> =>
  Effect.withFiber((fiber) => {
    const services = fiber.context as Context.Context<Services>
    const request = Context.get(services, HttpServerRequest.HttpServerRequest)
    const requestId = Context.get(services, RequestIds).next()
    const passage: Passage = { request, place, requestId, services, caller: null, rule: undefined }
    return Effect.matchCauseEffect(
      Effect.provideService(
        Effect.suspend(() => answer(passage)),
        RequestOrigin,
        new Origin(request)
      ),
      {
        onSuccess: (response) => finish(passage, response),
        onFailure: (cause) => Effect.flatMap(afterFailure(passage, cause), (response) => finish(passage, response))
      }
    )
  })

/** What is beyond it is not kept. */
const maxUserAgentLength = 512

/** Where a request came from, for the audit log alone: looked up only when it is asked for. */
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

/** 414, a preflight, 413 by the declared length, then who calls: 401 and 429, for unknown paths too. */
const answer = (passage: Passage): Answer => {
  const { place, request, services } = passage
  // A target is ASCII: its length is its size.
  if (request.url.length > maxTargetBytes) return Effect.fail(targetTooLong)
  const preflight = preflightAnswer(request, place, Context.get(services, ServiceConfig).corsOrigins)
  if (preflight !== undefined) return Effect.succeed(preflight)
  const declared = refuseDeclared(request, limitOf(endpointNear(place)?.body, services))
  if (declared !== undefined) return Effect.fail(declared)
  if (!isGuarded(place)) return place.endpoint === null ? unknown(place) : withBodyRead(passage, place.endpoint)
  const known = (caller: Caller) => {
    passage.caller = caller
  }
  return Effect.flatMap(
    authenticate(request, place.root, services, { known, mayNote: () => refusalWaitMs(passage) === 0 }),
    () => withBodyRead(passage, place.endpoint)
  )
}

const noSuchPath = new NotFound({ message: "Not found" })

/** 404, or 405 where the path exists for other methods. */
const unknown = (place: Place): Effect.Effect<never, ApiError> => {
  if (place.others.length === 0) return Effect.fail(noSuchPath)
  const allow = allowedMethods(place)
  return Effect.fail(new MethodNotAllowed({ message: `This path allows ${allow.join(", ")} only`, allow }))
}

/** The body, now that it is known whose it is (R1); then the endpoint. Bodies of GET are not read (R21). */
const withBodyRead = (passage: Passage, endpoint: Endpoint | null): Answer => {
  const { place, request } = passage
  const entered = endpoint === null ? unknown(place) : Effect.interruptible(enter(passage, endpoint))
  if (request.method === "GET" || request.method === "HEAD") return isList(endpoint) ? inTurn(entered) : entered
  if (endpoint?.body === "upload") return entered
  return withBody(request, endpoint?.body ?? jsonLimit, entered)
}

/** Whether the endpoint answers a page. */
const isList = (endpoint: Endpoint | null): boolean => endpoint?.parameters?.includes("page") === true

/** The permission (403), unknown and repeated query parameters (400), and what the endpoint answers. */
const enter = ({ caller, place, request }: Passage, endpoint: Endpoint): Answer => {
  const { params, search } = place
  const ask = (): Answer => {
    const problem = queryProblem(request.url, endpoint, place)
    if (problem !== undefined) return Effect.fail(problem)
    if (endpoint.operation === null) return endpoint.answer({ request, params, search })
    return caller === null ? Effect.die("no caller") : endpoint.answer({ request, params, search, caller })
  }
  if (endpoint.operation === null || caller === null) return ask()
  return Effect.flatMapEager(authorize(caller, endpoint.operation), ask)
}

/** A message that names more parameters helps nobody. */
const maxNamed = 20

/**
 * What is wrong with a query before its values are decoded: a known parameter given more than once, text that no store
 * keeps, and, where it is strict, unknown parameters. Undefined where nothing is.
 */
const queryProblem = (
  target: string,
  endpoint: Endpoint,
  { root: { isStrict }, search }: Place
): Refusal | undefined => {
  const known = endpoint.parameters ?? []
  if (isPlain(search, known, isStrict)) return undefined
  const start = target.indexOf("?")
  const end = target.indexOf("#", start)
  const given = new URLSearchParams(target.slice(start + 1, end === -1 ? undefined : end))
  const problems = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of given) {
    if (problems.size === maxNamed) break
    const isKnown = known.includes(name)
    if (isKnown && seen.has(name)) problems.set(`${name} must be given once`, name)
    if (isKnown && !isStorableText(value)) problems.set(`${name} ${UNSTORABLE_TEXT}`, name)
    if (!isKnown && isStrict) problems.set(unknownParameter(name, known), name)
    seen.add(name)
  }
  if (problems.size === 0) return undefined
  return refuseParameters(endpoint, problems.values(), [...problems.keys()].join("; "))
}

/** Whether nothing is wrong: most queries are looked at no further. */
const isPlain = (search: Place["search"], known: ReadonlyArray<string>, isStrict: boolean): boolean => {
  for (const name in search) {
    const value = search[name]
    if (typeof value !== "string" || (known.includes(name) ? !isStorableText(value) : isStrict)) return false
  }
  return true
}

const unknownParameter = (name: string, known: ReadonlyArray<string>): string => {
  const meant = suggest(name, known)
  return `${name} is not a query parameter here${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

/** A refusal is answered as its root says; everything else is a fault of ours, and stays in the log (R3). */
const afterFailure = (passage: Passage, cause: Cause.Cause<Refusal>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const refusal = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (refusal !== undefined) {
    passage.rule = ownRule(refusal)
    return Effect.succeed(errorAt(passage.place, apiErrorOf(refusal)))
  }
  const full = storageFullIn(cause)
  const logged =
    full === undefined
      ? Effect.logError("A request failed", cause)
      : Effect.logError(`No space is left for ${full.path}`)
  const error =
    full === undefined
      ? new Internal({ message: "Internal server error" })
      : new InsufficientStorage({ message: full.message })
  return Effect.as(
    Effect.annotateLogs(logged, { request_id: passage.requestId, method: passage.request.method }),
    errorAt(passage.place, error)
  )
}

/** An error as it is answered at a place. */
const errorAt = ({ root }: Place, error: ApiError): Response => root.page?.(error) ?? errorResponse(root.version, error)

/** Refusals of the request itself. That a record is not there, or not in that state, makes no request invalid. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 413, 414, 415, 422])

/** By whom refusals are counted: the token, or, where there is none that is good, the address. */
const refusalKey = ({ caller, request }: Passage): string =>
  caller === null
    ? `address ${addressKey(Option.getOrElse(request.remoteAddress, () => ""))}`
    : `token ${caller.tokenId}`

const monotonicMs = ({ services }: Passage): number =>
  Number(Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe() / 1_000_000n)

const refusalWaitMs = (passage: Passage): number =>
  Context.get(passage.services, RefusalLimit)?.waitMs(refusalKey(passage), monotonicMs(passage)) ?? 0

/** A refusal beyond the limit of refusals is 429 (R18). */
const limitRefusals = (passage: Passage, response: Response): Response => {
  const { place, services } = passage
  if (response.status < 400 || place.root.access === "public") return response
  const limit = Context.get(services, RefusalLimit)
  if (limit === null || !(refusedStatuses.has(response.status) || place.endpoint === null)) return response
  const waitMs = refusalWaitMs(passage)
  if (waitMs === 0) {
    limit.count(refusalKey(passage), monotonicMs(passage))
    return response
  }
  passage.rule = undefined
  return errorAt(
    place,
    new TooManyRequests({ message: "Too many refused requests", retryAfterSeconds: Math.ceil(waitMs / 1000) })
  )
}

/** The section of the specification, or the decision, by which a request was refused; undefined for one that was not. */
const ruleOf = ({ place, rule }: Passage, status: number): string | undefined => {
  if (status < 400) return undefined
  const named = rule ?? place.endpoint?.rules?.[status] ?? place.root.rules[status] ?? rulesEverywhere[status]
  return typeof named === "function" ? named(place.params) : named
}

/** What every answer carries, and the log's entry. */
const finish = (passage: Passage, answered: Response): Effect.Effect<Response> => {
  const { caller, place, request, requestId, services } = passage
  const response = unsentAnswers.admits(answered) ? limitRefusals(passage, answered) : errorAt(place, tooManyUnsent)
  const now = Context.get(services, Clock.Clock).currentTimeMillisUnsafe()
  const readable = withCors(request, place, Context.get(services, ServiceConfig).corsOrigins, response)
  const finished = HttpServerResponse.setHeaders(readable, { "x-request-id": requestId, date: httpDate(now) })
  const log = Context.get(services, RequestLog)
  if (log === null) return Effect.succeed(finished)
  const { method, url } = request
  const { status } = response
  return Effect.as(log({ requestId, method, url, status, caller, rule: ruleOf(passage, status) }), finished)
}
