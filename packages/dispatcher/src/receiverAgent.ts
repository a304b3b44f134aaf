import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { Agent, buildConnector, type Dispatcher as UndiciDispatcher } from "undici"

/** A pool of connections to receivers. */
export type NetworkAgent = UndiciDispatcher

/** An idle connection holds 133 KiB, and may be closed by its receiver at any time: it is not kept for long, whatever the receiver offers. */
const idleMs = 4_000

/** No attempt lasts longer (an audit destination's longest timeout), so none waits longer for a connection either. */
const longestAttemptMs = 300_000

/**
 * A pool of connections that is closed with its scope. undici's own timeouts are off: there is one deadline, ours.
 *
 * - A connection in the making ends with the attempt that it is made for. undici would wait for it, and let later attempts
 *   wait behind it, for as long as a receiver keeps silent in the TLS handshake.
 * - There is no limit of connections: an attempt that waited for its turn would run into its deadline without having been
 *   sent. How many attempts there are at a time is for the driver to say.
 * - HTTP/1.1 alone: one attempt, one connection, so that a stalled or broken one takes no other attempt with it.
 * - Idle connections are used again. undici looks first whether the receiver has hung up meanwhile, and takes a fresh one if
 *   so; nothing was sent then. A connection that breaks once the request is on its way is a `reset`, the first or not: the
 *   receiver may have acted on it, so sending again is for the schedule, in the open and in the log (W3).
 */
export const acquireAgent: Effect.Effect<NetworkAgent, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new ReceiverAgent()),
  (agent) => Effect.promise(() => agent.hangUp())
)

class ReceiverAgent extends Agent {
  private readonly connections: Connections

  constructor() {
    const connections = new Connections()
    super({
      connect: connections.connect,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      headersTimeout: 0,
      bodyTimeout: 0
    })
    this.connections = connections
  }

  override dispatch(options: Agent.DispatchOptions, handler: UndiciDispatcher.DispatchHandler): boolean {
    const { signal } = options as { readonly signal?: unknown }
    return this.connections.during(signal, () => super.dispatch(options, handler))
  }

  hangUp(): Promise<void> {
    this.connections.giveUp()
    return this.destroy()
  }
}

const connectWithin = buildConnector({ timeout: longestAttemptMs, allowH2: false }) as unknown as (
  options: buildConnector.Options,
  callback: buildConnector.Callback
) => Socket

/** The connections in the making. */
class Connections {
  private readonly making = new Set<Socket>()
  /** The attempt that is being dispatched: undici connects for it at once, and does not say for whom. */
  private attempt: AbortSignal | undefined

  during<A>(signal: unknown, dispatch: () => A): A {
    this.attempt = signal instanceof AbortSignal ? signal : undefined
    try {
      return dispatch()
    } finally {
      this.attempt = undefined
    }
  }

  readonly connect: buildConnector.connector = (options, callback) => {
    const attempt = this.attempt
    const giveUp = () => end(socket)
    const socket = connectWithin(options, (...result) => {
      this.making.delete(socket)
      attempt?.removeEventListener("abort", giveUp)
      callback(...result)
    })
    this.making.add(socket)
    attempt?.addEventListener("abort", giveUp)
  }

  giveUp() {
    for (const socket of this.making) end(socket)
  }
}

/** With an error: undici learns of the end by that alone. */
const end = (socket: Socket) => socket.destroy(new Error("the attempt that the connection was made for is over"))
