import type { ApiError, ApiVersion } from "@tapedeck/contract"
import type {
  AccessTokens,
  AuditLog,
  Caller,
  CaptureServices,
  Outbox,
  RateLimiter,
  RecordingContent,
  Recordings,
  RefusedTokens,
  RequestIds,
  ServiceConfig,
  Sessions,
  SettingsServices,
  ShareLinks,
  Users
} from "@tapedeck/core"
import type { Operation } from "@tapedeck/domain/internal/people"
import { Context, Effect, type Scope } from "effect"
import { FindMyWay, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { AppOptions } from "./AppOptions.ts"
import type { Refusal } from "./pipeline/refusals.ts"
import type { BodyLimit } from "./pipeline/requestBody.ts"
import { decodablePath, routableTarget } from "./pipeline/target.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The services of core that v2, v1 and the public pages use, and the pipeline before every endpoint. */
export type PublicServices =
  | AccessTokens
  | AuditLog
  | Outbox
  | RateLimiter
  | RecordingContent
  | Recordings
  | RefusedTokens
  | RequestIds
  | ServiceConfig
  | Sessions
  | ShareLinks
  | Users

/** The services of core that the whole product uses. */
export type CoreServices = PublicServices | CaptureServices | SettingsServices

/** Services that an endpoint can use: those of core, and those of each request. */
export type Services<R = CoreServices> = R | AppOptions | HttpServerRequest.HttpServerRequest | Scope.Scope

export type Params = Readonly<Record<string, string | undefined>>

/** A request as an endpoint receives it: the path is matched, the query is not decoded yet. */
export interface EndpointRequest {
  readonly request: Request
  readonly params: Params
  readonly search: Readonly<Record<string, string | ReadonlyArray<string>>>
}

/** The same with the caller, after `authorize`. */
export interface AuthenticatedRequest extends EndpointRequest {
  readonly caller: Caller
}

/** The section of the specification, or the decision, behind a refusal with this status. */
export type Rules = Readonly<Record<number, string | ((params: Params) => string)>>

interface Common {
  readonly methods: ReadonlyArray<string>
  /** A template (`/r/:uuid`), which also names the endpoint in logs and metrics. */
  readonly path: `/${string}`
  /** Default: 1 MiB. With `upload` the endpoint reads the body itself, up to `maxUploadBytes`. */
  readonly body?: BodyLimit | "upload"
  /** The known query parameters. Default: none. */
  readonly parameters?: ReadonlyArray<string>
  /** Rules of single parameters that differ from the endpoint's. */
  readonly parameterRules?: Readonly<Record<string, string>>
  readonly rules?: Rules
  /** Headers of each answer, those of refusals included. */
  readonly headers?: Readonly<Record<string, string>>
  /** False excludes the endpoint from the CORS of its root. */
  readonly isShared?: boolean
}

export type Answer<R = CoreServices> = Effect.Effect<Response, Refusal, Services<R>>

/** An endpoint without authentication. */
export interface PublicEndpoint<R = CoreServices> extends Common {
  readonly operation: null
  readonly answer: (input: EndpointRequest) => Answer<R>
}

/** An endpoint for callers that have the operation's permission. */
export interface GuardedEndpoint<R = CoreServices> extends Common {
  readonly operation: Operation
  readonly answer: (input: AuthenticatedRequest) => Answer<R>
}

/** An endpoint, and the services of core that it uses. */
export type Endpoint<R = CoreServices> = PublicEndpoint<R> | GuardedEndpoint<R>

/** Rules by which requests below a path are authenticated and refused, unknown paths included. */
export interface Root<R = CoreServices> {
  readonly path: `/${string}`
  /** Authentication of requests: none, by a token, or by a token or a session. */
  readonly access: "public" | "token" | "session"
  /** The scheme of `Authorization` that a 401 asks for. Default: `Bearer`. */
  readonly scheme?: string
  /** The shape of errors (R2). */
  readonly version: ApiVersion
  /** Replaces the answer to an error of a request, where it returns one. */
  readonly page?: (error: ApiError, request: Request) => Response | undefined
  readonly rules: Rules
  /** True if CORS allows pages of the configured origins. */
  readonly isShared: boolean
  /** Returns whether pages of this origin may call. Replaces the operator's configuration. */
  readonly allows?: (origin: string, params: Params) => Effect.Effect<boolean, never, Services<R>>
  /** True if unknown query parameters are refused. */
  readonly isStrict: boolean
  /** Loads more endpoints below the root, with the first request that needs them. */
  readonly load?: () => Promise<ReadonlyArray<Endpoint<R>>>
}

interface Entry<R> {
  readonly endpoint: Endpoint<R>
  readonly root: Root<R>
}

/** Match of a request in the table of routes. */
export interface RouteMatch<R = CoreServices> {
  readonly root: Root<R>
  /** Null for an unknown path or method. */
  readonly endpoint: Endpoint<R> | null
  /** Endpoints of the same path, if the method is unknown. */
  readonly others: ReadonlyArray<Endpoint<R>>
  readonly params: Params
  readonly search: EndpointRequest["search"]
}

/** The endpoint, or one of the same path. */
export const nearestEndpoint = <R>({ endpoint, others }: RouteMatch<R>): Endpoint<R> | undefined =>
  endpoint ?? others[0]

/** Returns whether the request must authenticate: below a guarded root all paths but public ones, unknown paths included (R1). */
export const isGuarded = (match: RouteMatch<unknown>): boolean =>
  match.root.access !== "public" && nearestEndpoint(match)?.operation !== null

/** The names of query parameters that a guarded endpoint does not know. */
export const unknownQueryOf = (match: RouteMatch<unknown>): ReadonlyArray<string> => {
  const { endpoint, search } = match
  if (endpoint === null || !isGuarded(match)) return []
  return Object.keys(search).filter((name) => endpoint.parameters?.includes(name) !== true)
}

/** Returns whether CORS allows pages of the configured origins. */
export const isShared = (match: RouteMatch<unknown>): boolean =>
  match.root.isShared && nearestEndpoint(match)?.isShared !== false

/** The name of all unknown paths in logs and metrics. */
const unknownRoute = "other"

/** The path template. A request cannot add a name: unknown paths share one. */
export const routeName = (match: RouteMatch<unknown>): string => nearestEndpoint(match)?.path ?? unknownRoute

/** The methods of the path; HEAD is allowed wherever GET is (R1, R20). */
export const allowedMethods = ({ others }: RouteMatch<unknown>): ReadonlyArray<string> => {
  const methods = new Set(others.flatMap((endpoint) => endpoint.methods))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort()
}

/** Paths are exact: a second spelling would be a way past a check. */
const exact: FindMyWay.RouterConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 8192
}

/** False for NUL, which no store can contain, and below an API for an empty segment: a trailing slash is no record. */
const areStorable = (params: Params, { access }: Pick<Root<never>, "access">): boolean => {
  for (const name in params) {
    if (params[name]?.includes("\0") || (params[name] === "" && access !== "public")) return false
  }
  return true
}

/** Finds the root of a request target. */
export const makeRootLookup = <R>(roots: ReadonlyArray<Root<R>>): ((target: string) => Root<R>) => {
  const router = FindMyWay.make<Root<R>>(exact)
  const top = roots.find(({ path }) => path === "/")
  if (top === undefined) throw new Error("a route table needs the root /")
  for (const root of roots) {
    if (root !== top) for (const path of [root.path, `${root.path}/*`] as const) router.on("GET", path, root)
  }
  return (target) => (target.startsWith("/") ? router.find("GET", decodablePath(target))?.handler : undefined) ?? top
}

const none: ReadonlyArray<Endpoint<never>> = []

/** All endpoints of an app, by method and path. No other module tests a request's path. */
export class RouteTable<R = CoreServices> {
  readonly rootOf: (target: string) => Root<R>
  private readonly router = FindMyWay.make<Entry<R>>(exact)
  private readonly methods = new Set<string>()
  private readonly roots: ReadonlyArray<Root<R>>
  private readonly endpoints: Array<Endpoint<R>> = []
  private readonly loading = new Map<Root<R>, Promise<void>>()
  private readonly loaded = new Set<Root<R>>()

  constructor(roots: ReadonlyArray<Root<R>>, endpoints: ReadonlyArray<Endpoint<R>>) {
    this.roots = roots
    this.rootOf = makeRootLookup(roots)
    this.add(endpoints)
  }

  private add(endpoints: ReadonlyArray<Endpoint<R>>): void {
    for (const endpoint of endpoints) {
      this.endpoints.push(endpoint)
      this.router.on(endpoint.methods, endpoint.path, { endpoint, root: this.rootOf(endpoint.path) })
      for (const method of endpoint.methods) this.methods.add(method)
    }
  }

  /** All routes with their methods, as `routeName` names them, once the endpoints of every root are loaded. */
  async all(): Promise<ReadonlyArray<{ readonly route: string; readonly methods: ReadonlyArray<string> }>> {
    for (const root of this.roots) if (root.load !== undefined && !this.loaded.has(root)) await this.load(root)
    const known = new Map<string, Set<string>>([[unknownRoute, new Set([...this.methods, "HEAD"])]])
    for (const { methods, path } of this.endpoints) {
      const all = known.get(path) ?? new Set()
      for (const method of methods.includes("GET") ? ["HEAD", ...methods] : methods) all.add(method)
      known.set(path, all)
    }
    return Array.from(known, ([route, methods]) => ({ route, methods: [...methods] }))
  }

  /** Matches a request with the endpoints that are loaded. */
  find(method: string, target: string): RouteMatch<R> {
    const found = this.lookUp(method, target) ?? (method === "HEAD" ? this.lookUp("GET", target) : undefined)
    if (found === undefined) return this.unknown(target)
    const { handler, params, searchParams: search } = found
    return { root: handler.root, endpoint: handler.endpoint, others: none, params, search }
  }

  private lookUp(method: string, target: string): FindMyWay.FindResult<Entry<R>> | undefined {
    const found = target.startsWith("/") ? this.router.find(method, routableTarget(target)) : undefined
    if (found === undefined) return undefined
    return areStorable(found.params, found.handler.root) ? found : undefined
  }

  private unknown(target: string): RouteMatch<R> {
    const found = [...this.methods].flatMap((method) => this.lookUp(method, target) ?? [])
    const others = found.map(({ handler }) => handler.endpoint)
    return { root: this.rootOf(target), endpoint: null, others, params: found[0]?.params ?? {}, search: {} }
  }

  /** Calls `use` with the match of a request. For an unknown path it loads the endpoints of the root first. */
  route<A, E, U>(
    { method, url }: Pick<Request, "method" | "url">,
    use: (match: RouteMatch<R>) => Effect.Effect<A, E, U>
  ): Effect.Effect<A, E, U> {
    const match = this.find(method, url)
    if (match.endpoint !== null || match.root.load === undefined || this.loaded.has(match.root)) return use(match)
    return Effect.flatMap(
      Effect.promise(() => this.load(match.root)),
      () => use(this.find(method, url))
    )
  }

  private load(root: Root<R>): Promise<void> {
    const load = async () => {
      this.add((await root.load?.()) ?? [])
      this.loaded.add(root)
    }
    const present = this.loading.get(root)
    if (present !== undefined) return present
    // A failed load is forgotten: the next request tries again.
    const loading = load().finally(() => this.loading.delete(root))
    this.loading.set(root, loading)
    return loading
  }
}

/** An app that answers each request by its match. */
export const routeRequests = <A, E, R, T>(
  table: RouteTable<T>,
  answer: (match: RouteMatch<T>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.withFiber(({ context }) =>
    table.route(Context.getUnsafe(context, HttpServerRequest.HttpServerRequest), answer)
  )
