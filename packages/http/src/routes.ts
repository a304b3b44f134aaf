import type { ApiError, ApiVersion } from "@tapedeck/contract"
import type {
  AccessTokens,
  AuditLog,
  Caller,
  Operation,
  RateLimiter,
  Recordings,
  RequestIds,
  ServiceConfig,
  SettingsServices,
  Users
} from "@tapedeck/core"
import { Context, Effect, type Scope } from "effect"
import { FindMyWay, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Refusal } from "./refusals.ts"
import type { BodyLimit } from "./requestBody.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What a world has to provide with each request. */
export type CoreServices =
  | AccessTokens
  | AuditLog
  | SettingsServices
  | RateLimiter
  | Recordings
  | RequestIds
  | ServiceConfig
  | Users

/** What an endpoint may use. */
export type Services = CoreServices | HttpServerRequest.HttpServerRequest | Scope.Scope

export type Params = Readonly<Record<string, string | undefined>>

/** A request as an endpoint gets it: its path is matched, and nothing of it is decoded yet. */
export interface Asked {
  readonly request: Request
  readonly params: Params
  readonly search: Readonly<Record<string, string | ReadonlyArray<string>>>
}

/** And of a caller who may do what the endpoint does. */
export interface AskedBy extends Asked {
  readonly caller: Caller
}

/** The section of the specification, or the decision, by which a status refuses. */
export type Rules = Readonly<Record<number, string | ((params: Params) => string)>>

interface Common {
  readonly methods: ReadonlyArray<string>
  /** With parameters (`/r/:uuid`). It names the endpoint in logs and metrics. */
  readonly path: `/${string}`
  /** How large a body may be, 1 MiB unless it is said; `upload`: the endpoint reads the body itself, up to `UploadLimit`. */
  readonly body?: BodyLimit | "upload"
  /** The query parameters that it knows; none unless they are named. */
  readonly parameters?: ReadonlyArray<string>
  /** The rules of single parameters, where they are not the endpoint's. */
  readonly parameterRules?: Readonly<Record<string, string>>
  readonly rules?: Rules
  /** False where pages of other origins may not use what the root shares with them. */
  readonly isShared?: boolean
}

export type Answer = Effect.Effect<Response, Refusal, Services>

/** Anybody may call it. */
export interface PublicEndpoint extends Common {
  readonly operation: null
  readonly answer: (asked: Asked) => Answer
}

/** Only who may do the operation, by core's `permissions.ts`. */
export interface GuardedEndpoint extends Common {
  readonly operation: Operation
  readonly answer: (asked: AskedBy) => Answer
}

export type Endpoint = PublicEndpoint | GuardedEndpoint

/** All paths below a path, known or not: how requests are authenticated and refused there. */
export interface Root {
  readonly path: `/${string}`
  /** Whose requests reach endpoints that are not public: a token's, or also a signed-in session's. */
  readonly access: "public" | "token" | "session"
  /** In whose shape errors are (R2). */
  readonly version: ApiVersion
  /** Answers errors in another way, where it gives an answer. */
  readonly page?: (error: ApiError) => Response | undefined
  readonly rules: Rules
  /** Whether pages of the allowed origins may use it (CORS). */
  readonly isShared: boolean
  /** Whether query parameters that an endpoint does not know are refused. */
  readonly isStrict: boolean
  /** Endpoints that are loaded when a path below the root is first asked for, and is not known. */
  readonly load?: () => Promise<ReadonlyArray<Endpoint>>
}

interface Placed {
  readonly endpoint: Endpoint
  readonly root: Root
}

/** Where a request belongs. */
export interface Place {
  readonly root: Root
  /** Null where there is none for this path and method. */
  readonly endpoint: Endpoint | null
  /** Where there is none: those of the same path and other methods. */
  readonly others: ReadonlyArray<Endpoint>
  readonly params: Params
  readonly search: Asked["search"]
}

/** The endpoint of the path, whatever the method. */
export const endpointNear = ({ endpoint, others }: Place): Endpoint | undefined => endpoint ?? others[0]

/** Whether the request has to be authenticated: below a guarded root all but public endpoints, unknown paths included (R1). */
export const isGuarded = (place: Place): boolean =>
  place.root.access !== "public" && endpointNear(place)?.operation !== null

/** Whether pages of the allowed origins may read the answer. */
export const isShared = (place: Place): boolean => place.root.isShared && endpointNear(place)?.isShared !== false

/** What stands for every unknown path in logs and metrics. */
const otherRoute = "other"

/** The path's template: there are as many as endpoints, whatever is asked for. */
export const routeName = (place: Place): string => endpointNear(place)?.path ?? otherRoute

/** Methods that the path exists for; HEAD is allowed wherever GET is (R1, R20). */
export const allowedMethods = ({ others }: Place): ReadonlyArray<string> => {
  const methods = new Set(others.flatMap((endpoint) => endpoint.methods))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort()
}

/** A target without its query. */
export const pathIn = (target: string): string => {
  const end = target.search(/[?;#]/)
  return end === -1 ? target : target.slice(0, end)
}

/** Paths are exact: two spellings of one would be two ways past a check. */
const exact: FindMyWay.RouterConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 8192
}

/** An empty segment would be taken for an empty parameter, and so a trailing slash for a record; no store keeps NUL. */
const areStorable = (params: Params): boolean => {
  for (const name in params) if (params[name] === "" || params[name]?.includes("\0")) return false
  return true
}

/** The root of a target. */
export const makeRootOf = (roots: ReadonlyArray<Root>): ((target: string) => Root) => {
  const router = FindMyWay.make<Root>(exact)
  for (const root of roots) for (const path of [root.path, `${root.path}/*`] as const) router.on("GET", path, root)
  const top = roots.find(({ path }) => path === "/")
  if (top === undefined) throw new Error("a route table needs the root /")
  return (target) => (target.startsWith("/") ? router.find("GET", target)?.handler : undefined) ?? top
}

const none: ReadonlyArray<Endpoint> = []

/** All endpoints of a host, by method and path. Nothing else tests a request's path. */
export class RouteTable {
  readonly rootOf: (target: string) => Root
  private readonly router = FindMyWay.make<Placed>(exact)
  private readonly methods = new Set<string>()
  private readonly loading = new Map<Root, Promise<void>>()
  private readonly loaded = new Set<Root>()

  constructor(roots: ReadonlyArray<Root>, endpoints: ReadonlyArray<Endpoint>) {
    this.rootOf = makeRootOf(roots)
    this.add(endpoints)
  }

  private add(endpoints: ReadonlyArray<Endpoint>): void {
    for (const endpoint of endpoints) {
      this.router.on(endpoint.methods, endpoint.path, { endpoint, root: this.rootOf(endpoint.path) })
      for (const method of endpoint.methods) this.methods.add(method)
    }
  }

  /** Where a request belongs, as far as endpoints are loaded. */
  find(method: string, target: string): Place {
    const found = this.match(method, target) ?? (method === "HEAD" ? this.match("GET", target) : undefined)
    if (found === undefined) return this.unknown(target)
    const { handler, params, searchParams: search } = found
    return { root: handler.root, endpoint: handler.endpoint, others: none, params, search }
  }

  private match(method: string, target: string): FindMyWay.FindResult<Placed> | undefined {
    const found = target.startsWith("/") ? this.router.find(method, target) : undefined
    if (found === undefined) return undefined
    return found.handler.root.access === "public" || areStorable(found.params) ? found : undefined
  }

  private unknown(target: string): Place {
    const others = [...this.methods].flatMap((method) => this.match(method, target)?.handler.endpoint ?? [])
    return { root: this.rootOf(target), endpoint: null, others, params: {}, search: {} }
  }

  /** Gives a request's place to `use`. The endpoints of the root are loaded first where it takes them to know. */
  at<A, E, R>(
    { method, url }: Pick<Request, "method" | "url">,
    use: (place: Place) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    const place = this.find(method, url)
    if (place.endpoint !== null || place.root.load === undefined || this.loaded.has(place.root)) return use(place)
    return Effect.flatMap(
      Effect.promise(() => this.load(place.root)),
      () => use(this.find(method, url))
    )
  }

  private load(root: Root): Promise<void> {
    const load = async () => {
      this.add((await root.load?.()) ?? [])
      this.loaded.add(root)
    }
    const loading = this.loading.get(root) ?? load()
    this.loading.set(root, loading)
    return loading
  }
}

/** Answers each request at its place. */
export const requestAt = <A, E, R>(
  table: RouteTable,
  answer: (place: Place) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.withFiber(({ context }) => table.at(Context.getUnsafe(context, HttpServerRequest.HttpServerRequest), answer))
