import { Context, Effect, Layer } from "effect"
import { Guard } from "../Guard.ts"
import { memoized } from "../memoized.ts"
import { notSent, Sender } from "../Sender.ts"
import { networkPolicy, parseCidrs } from "./NetworkPolicy.ts"
import { parseProxy, throughProxy } from "./proxy.ts"
import { acquireAgent } from "./ReceiverAgent.ts"
import { cachingResolver, dnsResolver, type Resolve, readHostsFile } from "./resolver.ts"
import { guarded } from "./routes.ts"
import { sendOverNetwork } from "./sendOverNetwork.ts"

export interface NetworkOptions {
  /** Addresses and CIDR blocks to which webhooks may be sent, in addition to the public internet. Default: none. */
  readonly allow?: ReadonlyArray<string>
  /** True if plain HTTP is allowed, for receivers in development. Default: false, so HTTPS only. */
  readonly allowHttp?: boolean
  /** URL of a proxy for all webhooks. Proxies of the environment are never used. Default: none. */
  readonly proxy?: string
  /** Resolves names. Default: the hosts file and name servers of the machine. */
  readonly resolve?: Resolve
}

/**
 * Provides the sender of the server and its guard, for HTTPS unless `allowHttp` is true, to addresses that are checked at each connection. The sender also
 * refuses by itself what the guard refuses. Fails if an option is invalid.
 */
export const layerNetwork = (options: NetworkOptions = {}) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const policy = networkPolicy(yield* Effect.fromResult(parseCidrs(options.allow ?? [])), options.allowHttp)
      const faultOf = memoized(policy.url)
      const resolve = options.resolve ?? dnsResolver({ hosts: readHostsFile() })
      const route =
        options.proxy === undefined
          ? guarded(policy, cachingResolver(resolve))
          : throughProxy(yield* Effect.fromResult(parseProxy(options.proxy)), policy)
      const agent = yield* acquireAgent(route)
      return Context.make(
        Sender,
        Sender.of({
          send: (request, options) => {
            const fault = faultOf(request.url)
            return fault === null
              ? sendOverNetwork(agent, request, options.timeoutMs, options)
              : Effect.succeed(notSent(fault))
          }
        })
      ).pipe(Context.add(Guard, { check: (url) => Effect.succeed(faultOf(url)) }))
    })
  )
