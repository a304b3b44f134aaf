import type { Answer, WebhookRequest } from "@tapedeck/dispatcher"
import { Effect, Scope } from "effect"

/** Sends a request over the network, within so much wall time. */
export type Network = (request: WebhookRequest, deadlineMs: number) => Effect.Effect<Answer>

/**
 * The way to real receivers. It is loaded, and its connections are opened, when the first one is called: undici is a third
 * of what there is to load, and most worlds call sinks. The connections close with the scope.
 */
export const networkWithin = (scope: Scope.Scope): Network => {
  let opened: Promise<Network> | undefined
  return (request, deadlineMs) =>
    Effect.flatMap(
      Effect.promise(() => {
        opened ??= open(scope)
        return opened
      }),
      (send) => send(request, deadlineMs)
    )
}

const open = async (scope: Scope.Scope): Promise<Network> => {
  const { acquireAgent, sendOverNetwork } = await import("@tapedeck/dispatcher/network")
  const agent = await Effect.runPromise(Scope.provide(acquireAgent(), scope))
  return (request, deadlineMs) => sendOverNetwork(agent, request, deadlineMs)
}
