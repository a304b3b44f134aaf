import { Effect, Exit, Scope } from "effect"
import type { Answer, WebhookRequest } from "../../src/index.ts"
import { acquireAgent, type NetworkAgent, sendOverNetwork } from "../../src/network/index.ts"

/** Long enough for any answer that comes at all. */
const plentyMs = 20_000

export interface Network {
  readonly agent: NetworkAgent
  readonly send: (url: string, known?: Partial<WebhookRequest>, deadlineMs?: number) => Promise<Answer>
  /** Closes the scope that the connections live in. */
  readonly close: () => Promise<void>
}

export const openNetwork = async (maxIdle?: number): Promise<Network> => {
  const scope = Scope.makeUnsafe()
  const agent = await Effect.runPromise(Scope.provide(acquireAgent(undefined, maxIdle), scope))
  return {
    agent,
    send: (url, known = {}, deadlineMs = plentyMs) =>
      Effect.runPromise(
        sendOverNetwork(
          agent,
          { method: "POST", url, headers: [], body: Buffer.from("x"), text: "x", ...known },
          deadlineMs
        )
      ),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
