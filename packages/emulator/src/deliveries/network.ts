import type { Answer, WebhookRequest } from "@tapedeck/dispatcher"
import { Effect, Scope } from "effect"

/** Sends a request over the network, with a limit of wall time. */
export type Network = (request: WebhookRequest, deadlineMs: number) => Effect.Effect<Answer>

/**
 * The sender for real receivers, loaded with the first one: undici is a third of the code, and most worlds call only sinks.
 * Requests in flight end with the scope.
 *
 * Each request has its own connection: undici reuses one in a later turn of the event loop, which a test's fake timers
 * stop.
 */
export const networkWithin = (scope: Scope.Scope): Network => {
  return (request, deadlineMs) =>
    Effect.gen(function* () {
      // Loaded once: a module is evaluated with its first import.
      const { acquireAgent, sendOverNetwork } = yield* Effect.promise(() => import("@tapedeck/dispatcher/network"))
      return yield* Effect.acquireUseRelease(
        Scope.fork(scope),
        (own) =>
          Effect.flatMap(Scope.provide(acquireAgent(), own), (agent) => sendOverNetwork(agent, request, deadlineMs)),
        (own, exit) => Scope.close(own, exit)
      )
    })
}
