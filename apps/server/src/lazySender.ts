import { Guard, Sender } from "@tapedeck/dispatcher"
import type { NetworkOptions } from "@tapedeck/dispatcher/network"
import { Context, Effect, Layer } from "effect"

/**
 * The way to receivers and its guard, which are loaded when the first delivery goes out: undici is a third of what there is
 * to load, and a server answers requests before it calls anybody. What they opened closes with the layer's scope.
 */
export const layerLazyNetwork = (options: NetworkOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const loaded = yield* Effect.cached(
        Effect.gen(function* () {
          const { layerNetwork } = yield* Effect.promise(() => import("@tapedeck/dispatcher/network"))
          return yield* Effect.orDie(Layer.buildWithScope(layerNetwork(options), scope))
        })
      )
      return Context.make(
        Sender,
        Sender.of({
          send: (request, attempt) =>
            Effect.flatMap(loaded, (network) => Context.get(network, Sender).send(request, attempt))
        })
      ).pipe(
        Context.add(Guard, {
          check: (url) => Effect.flatMap(loaded, (network) => Context.get(network, Guard).check(url))
        })
      )
    })
  )

export const layerLazySender = layerLazyNetwork({})
