import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { type buildConnector, Pool, type Dispatcher as UndiciDispatcher } from "undici"
import { withoutContinue } from "./interimResponses.ts"
import { hostOf } from "./NetworkPolicy.ts"
import { anywhere, type Route } from "./routes.ts"
import { makeHandshake } from "./sockets.ts"
import { maxHeaderBytes } from "./stages.ts"

/** Handler of a request's events. Its signal is aborted when the result is no longer needed. */
type AttemptHandler = UndiciDispatcher.DispatchHandler & { readonly signal: AbortSignal }

/** Connections to receivers, which are reused. */
export interface NetworkAgent {
  /** Sends a request. The attempt's signal aborts a connection that is being established. */
  readonly dispatch: (origin: string, request: UndiciDispatcher.DispatchOptions, attempt: AttemptHandler) => void
}

/** Maximum idle time of a connection, in milliseconds. An idle connection takes 133 KiB, and its receiver may close it at any time. */
const idleMs = 4_000

/** Default maximum number of idle connections. Connections of the least recently called receivers are closed first. */
const defaultMaxIdle = 256

/**
 * Creates a pool of connections, which the route establishes, and which are closed with the scope. The timeouts of undici are disabled,
 * because the attempt has one deadline.
 *
 * - A connection that is being established is aborted with its attempt. undici would wait for it, and let later attempts wait too,
 *   as long as a receiver does not complete the TLS handshake.
 * - The number of connections is not limited here: an attempt that waited for one would miss its deadline without being sent. The
 *   driver limits concurrent attempts. Idle connections are limited.
 * - HTTP/1.1 only: one attempt on a connection, so that a stalled or broken one affects no other attempt.
 * - Idle connections are reused. undici first checks whether the receiver has closed it, and then takes a new one: nothing was sent.
 *   A connection that breaks after the request was sent is a `reset`: the receiver may have acted on it, so the schedule decides
 *   about a retry.
 * - The environment's proxies (HTTP_PROXY, NODE_USE_ENV_PROXY) are ignored.
 */
export const acquireAgent = (
  route: Route = anywhere,
  maxIdle = defaultMaxIdle
): Effect.Effect<NetworkAgent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new ReceiverAgent(route, maxIdle)),
    (agent) => Effect.promise(() => agent.close())
  )

class ReceiverAgent implements NetworkAgent {
  /** Pools by origin, in the order of last use. */
  private readonly pools = new Map<string, Pool>()
  private readonly connections: Connections

  private readonly maxIdle: number

  constructor(route: Route, maxIdle: number) {
    this.connections = new Connections(route)
    this.maxIdle = maxIdle
  }

  readonly dispatch: NetworkAgent["dispatch"] = (origin, request, attempt) => {
    const pool = this.pools.get(origin) ?? this.newPool(origin)
    this.pools.delete(origin)
    this.pools.set(origin, pool)
    this.connections.during(attempt, () => pool.dispatch(request, attempt))
    if (this.connections.open.size > this.maxIdle) this.closeIdle()
  }

  private newPool(origin: string): Pool {
    const pool = new Pool(origin, {
      connect: this.connections.connect,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0
    })
    const forgetIfUnused = () => {
      if (isIdle(pool) && pool.stats.connected === 0) this.forget(origin, pool)
    }
    pool.on("disconnect", forgetIfUnused)
    pool.on("connectionError", forgetIfUnused)
    return pool
  }

  private forget(origin: string, pool: Pool) {
    if (this.pools.get(origin) === pool) this.pools.delete(origin)
    if (!pool.destroyed) void pool.close()
  }

  private closeIdle() {
    let idle = 0
    for (const [origin, pool] of [...this.pools].reverse()) {
      idle += pool.stats.free
      if (idle > this.maxIdle && isIdle(pool)) this.forget(origin, pool)
    }
  }

  async close(): Promise<void> {
    this.connections.abortAll()
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()))
  }
}

const isIdle = ({ stats }: Pool): boolean => stats.running === 0 && stats.pending === 0

/** The open connections, and those that are being established. */
class Connections {
  readonly open = new Set<Socket>()
  private readonly connecting = new Set<AbortController>()
  private readonly secured = makeHandshake()
  private readonly route: Route
  /** The attempt that is being dispatched. undici connects synchronously, without a reference to the request. */
  private attempt: AttemptHandler | undefined

  constructor(route: Route) {
    this.route = route
  }

  during(attempt: AttemptHandler, dispatch: () => unknown) {
    this.attempt = attempt
    try {
      dispatch()
    } finally {
      this.attempt = undefined
    }
  }

  readonly connect: buildConnector.connector = (options, callback) => {
    const attempt = this.attempt?.signal
    const connecting = new AbortController()
    const abort = () => connecting.abort(attemptEnded())
    if (attempt?.aborted) abort()
    this.connecting.add(connecting)
    attempt?.addEventListener("abort", abort)
    const settled = () => {
      this.connecting.delete(connecting)
      attempt?.removeEventListener("abort", abort)
    }
    this.connected(options, connecting.signal).then(
      (socket) => {
        settled()
        callback(null, socket)
      },
      (error) => {
        settled()
        callback(error, null)
      }
    )
  }

  private async connected({ hostname, port, protocol }: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const secure = protocol === "https:"
    const to = { secure, host: hostOf(hostname), port: port === "" ? (secure ? 443 : 80) : Number(port) }
    const reached = await this.route(to, signal)
    this.open.add(reached)
    reached.once("close", () => this.open.delete(reached))
    return withoutContinue(secure ? await this.secured(reached, to, signal) : reached)
  }

  abortAll() {
    for (const connecting of this.connecting) connecting.abort(attemptEnded())
  }
}

/** Creates the error with which undici closes the connection. */
const attemptEnded = () => new Error("the attempt of this connection has ended")
