import type { Answer, WebhookRequest } from "@tapedeck/dispatcher"
import { Effect, Scope } from "effect"

/** Sends a request over the network, within so much wall time. */
export type Network = (request: WebhookRequest, deadlineMs: number) => Effect.Effect<Answer>

/**
 * The way to real receivers. It is loaded when the first one is called: undici is a third of what there is to load, and
 * most worlds call sinks. Requests in flight end with the scope.
 *
 * Each request has a connection of its own: undici takes up a kept one by a turn of the event loop that a test's fake
 * timers stop.
 */
export const networkWithin = (scope: Scope.Scope): Network => {
  let loaded: Promise<typeof import("@tapedeck/dispatcher/network")> | undefined
  return (request, deadlineMs) =>
    Effect.gen(function* () {
      loaded ??= import("@tapedeck/dispatcher/network")
      const { acquireAgent, sendOverNetwork } = yield* Effect.promise(() => loaded!)
      return yield* Effect.acquireUseRelease(
        Scope.fork(scope),
        (own) =>
          Effect.flatMap(Scope.provide(acquireAgent(), own), (agent) => sendOverNetwork(agent, request, deadlineMs)),
        (own, exit) => Scope.close(own, exit)
      )
    })
}
