import { Effect, Exit, Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import { wallTime } from "../clock/VirtualClock.ts"
import type { Network } from "../deliveries/network.ts"
import { Emulator, type EmulatorOptions } from "../Emulator.ts"
import { wasReset } from "../faults/answerFault.ts"
import { type EmulatorApp, makeEmulatorApp } from "./app.ts"

/** An emulator that answers `fetch`. Needs no module of Node. */
export interface InProcessServer {
  readonly emulator: Emulator
  readonly fetch: (request: Request) => Promise<Response>
  /** The origin of the socket. Throws if there is none and none can be opened. */
  readonly originNow: () => string
  readonly run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>
  /** Refuses further requests, and releases all handles. */
  readonly close: () => Promise<void>
}

export type InProcessOptions = Omit<EmulatorOptions, "network">

/** The parts of a server without a socket. */
interface InProcessParts extends Omit<InProcessServer, "close" | "originNow"> {
  readonly app: EmulatorApp
  readonly scope: Scope.Scope
  readonly isClosed: () => boolean
  /** `closeSocket` runs after waiting calls are refused, and before handles are released. */
  readonly close: (closeSocket?: () => Promise<void>) => Promise<void>
}

const runInWallTime = Effect.runPromiseWith(wallTime)

/** Creates an emulator without a world. `networkWithin` makes the sender for receivers that are not sinks. */
export const makeInProcess = (
  options: InProcessOptions,
  networkWithin: (scope: Scope.Scope) => Network
): InProcessParts => {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => runInWallTime(Scope.provide(effect, scope))
  const emulator = new Emulator({ network: networkWithin(scope), ...options })
  const app = makeEmulatorApp(emulator)
  const answer = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(wallTime)(app)
  let closed = false
  const fetch = async (request: Request) => {
    if (closed) throw new TypeError("fetch failed: the emulator is closed")
    request.signal.throwIfAborted()
    const response = await Promise.race([abortOf(request.signal), answer(request)])
    if (wasReset(request)) throw new TypeError("fetch failed: the connection was reset")
    return response
  }
  const close: InProcessParts["close"] = async (closeSocket) => {
    closed = true
    emulator.stop()
    await closeSocket?.()
    await runInWallTime(Scope.close(scope, Exit.void))
  }
  return { emulator, app, scope, fetch, run, close, isClosed: () => closed }
}

/** Rejects when the caller aborts, as `fetch` does, even if the work continues. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))
