import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { type buildConnector, Pool, type Dispatcher as UndiciDispatcher } from "undici"
import { hostOf } from "./NetworkPolicy.ts"
import { anywhere, type Route } from "./routes.ts"
import { makeHandshake } from "./tls.ts"

/** Hears of a request's fate; its signal says that nobody waits for it any more. */
type AttemptHandler = UndiciDispatcher.DispatchHandler & { readonly signal: AbortSignal }

/** Connections to receivers, kept for the next request. */
export interface NetworkAgent {
  /** Puts a request on a connection. A connection in the making ends with the attempt's signal. */
  readonly dispatch: (origin: string, request: UndiciDispatcher.DispatchOptions, attempt: AttemptHandler) => void
}

/** An idle connection holds 133 KiB, and may be closed by its receiver at any time: it is not kept for long, whatever the receiver offers. */
const idleMs = 4_000

/** So many connections may be idle; the receivers that were called longest ago lose theirs first. */
const mostIdleByDefault = 256

/**
 * A pool of connections that is closed with its scope; where they lead is the route's to say. undici's own timeouts are
 * off: there is one deadline, ours.
 *
 * - A connection in the making ends with the attempt that it is made for. undici would wait for it, and let later attempts
 *   wait behind it, for as long as a receiver keeps silent in the TLS handshake.
 * - There is no limit of connections: an attempt that waited for its turn would run into its deadline without having been
 *   sent. How many attempts there are at a time is for the driver to say. What lies idle has a limit.
 * - HTTP/1.1 alone: one attempt, one connection, so that a stalled or broken one takes no other attempt with it.
 * - Idle connections are used again. undici looks first whether the receiver has hung up meanwhile, and takes a fresh one if
 *   so; nothing was sent then. A connection that breaks once the request is on its way is a `reset`, the first or not: the
 *   receiver may have acted on it, so sending again is for the schedule, in the open and in the log (W3).
 * - Nothing of the environment's (HTTP_PROXY, NODE_USE_ENV_PROXY) is listened to.
 */
export const acquireAgent = (
  route: Route = anywhere,
  mostIdle = mostIdleByDefault
): Effect.Effect<NetworkAgent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new ReceiverAgent(route, mostIdle)),
    (agent) => Effect.promise(() => agent.hangUp())
  )

class ReceiverAgent implements NetworkAgent {
  /** By origin, in the order of their last use. */
  private readonly pools = new Map<string, Pool>()
  private readonly connections: Connections

  private readonly mostIdle: number

  constructor(route: Route, mostIdle: number) {
    this.connections = new Connections(route)
    this.mostIdle = mostIdle
  }

  readonly dispatch: NetworkAgent["dispatch"] = (origin, request, attempt) => {
    const pool = this.pools.get(origin) ?? this.newPool(origin)
    this.pools.delete(origin)
    this.pools.set(origin, pool)
    this.connections.during(attempt, () => pool.dispatch(request, attempt))
    if (this.connections.open.size > this.mostIdle) this.closeIdle()
  }

  private newPool(origin: string): Pool {
    const pool = new Pool(origin, {
      connect: this.connections.connect,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
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
      if (idle > this.mostIdle && isIdle(pool)) this.forget(origin, pool)
    }
  }

  async hangUp(): Promise<void> {
    this.connections.giveUp()
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()))
  }
}

const isIdle = ({ stats }: Pool): boolean => stats.running === 0 && stats.pending === 0

/** The connections, and those in the making. */
class Connections {
  readonly open = new Set<Socket>()
  private readonly making = new Set<AbortController>()
  private readonly secured = makeHandshake()
  private readonly route: Route
  /** The attempt that is being dispatched: undici connects for it at once, and does not say for whom. */
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
    const making = new AbortController()
    const giveUp = () => making.abort(over())
    if (attempt?.aborted) giveUp()
    this.making.add(making)
    attempt?.addEventListener("abort", giveUp)
    const settled = () => {
      this.making.delete(making)
      attempt?.removeEventListener("abort", giveUp)
    }
    this.connected(options, making.signal).then(
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
    return secure ? this.secured(reached, to, signal) : reached
  }

  giveUp() {
    for (const making of this.making) making.abort(over())
  }
}

/** With an error: undici learns of the end by that alone. */
const over = () => new Error("the attempt that the connection was made for is over")
