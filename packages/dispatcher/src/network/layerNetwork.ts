import { Context, Effect, Layer } from "effect"
import { Guard } from "../Guard.ts"
import { memoized } from "../memoized.ts"
import { Sender } from "../Sender.ts"
import { parseCidrs } from "./addresses.ts"
import { networkPolicy } from "./NetworkPolicy.ts"
import { parseProxy, throughProxy } from "./proxy.ts"
import { acquireAgent } from "./ReceiverAgent.ts"
import { dnsResolver, keepingAnswers, type Resolve, readHostsFile } from "./resolver.ts"
import { guarded } from "./routes.ts"
import { sendOverNetwork } from "./sendOverNetwork.ts"

export interface NetworkOptions {
  /** Addresses and CIDR blocks that webhooks may go to besides the public internet. */
  readonly allow?: ReadonlyArray<string>
  /** The URL of a proxy that all webhooks go through. Those of the environment are never used. */
  readonly proxy?: string
  /** Asks for a name's addresses; name servers are asked where nothing is said. */
  readonly resolve?: Resolve
}

/**
 * The server's way over the network: by HTTPS, past a guard that judges the very addresses that are dialled
 * (docs/webhooks-network.md). Fails where an option cannot be read.
 */
export const layerNetwork = (options: NetworkOptions = {}) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const policy = networkPolicy(yield* Effect.fromResult(parseCidrs(options.allow ?? [])))
      const faultOf = memoized(policy.url)
      const resolve = options.resolve ?? dnsResolver({ hosts: readHostsFile() })
      const route =
        options.proxy === undefined
          ? guarded(policy, keepingAnswers(resolve))
          : throughProxy(yield* Effect.fromResult(parseProxy(options.proxy)), policy)
      const agent = yield* acquireAgent(route)
      return Context.make(
        Sender,
        Sender.of({
          send: (request, options) => sendOverNetwork(agent, request, options.timeoutMs, options)
        })
      ).pipe(Context.add(Guard, { check: (url) => Effect.succeed(faultOf(url)) }))
    })
  )
