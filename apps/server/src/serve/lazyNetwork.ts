import { Guard, Sender } from "@tapedeck/dispatcher"
import { Context, Duration, Effect, Layer, Scope } from "effect"
import type { Config } from "../config/Config.ts"
import { proxyWithPassword } from "../config/proxy.ts"

/**
 * The guard and sender of the network, loaded with the first delivery: undici is a third of the code, and a server answers
 * requests before it delivers anything. Connections close with the layer's scope.
 */
export const layerLazyNetwork = (config: Config) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.gen(function* () {
          const { layerNetwork } = yield* Effect.promise(() => import("@tapedeck/dispatcher/network"))
          const proxy = proxyWithPassword(config)
          const layer = layerNetwork({ allow: config.allow_receivers, ...(proxy !== undefined && { proxy }) })
          // The configuration has been validated, so it cannot be refused here.
          return yield* Effect.orDie(Scope.provide(Layer.build(layer), scope))
        }),
        Duration.infinity
      )
      // The next delivery tries again.
      const network = Effect.onError(cached, () => forget)
      const sender = Effect.map(network, Context.get(Sender))
      const guard = Effect.map(network, Context.get(Guard))
      return Context.make(Sender, {
        send: (request, options) => Effect.flatMap(sender, ({ send }) => send(request, options))
      }).pipe(Context.add(Guard, { check: (url) => Effect.flatMap(guard, ({ check }) => check(url)) }))
    })
  )
