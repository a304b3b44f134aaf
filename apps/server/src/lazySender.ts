import { Sender } from "@tapedeck/dispatcher"
import { Context, Effect, Layer, Scope } from "effect"

/**
 * The way to receivers, which is loaded when the first delivery goes out: undici is a third of what there is to load, and a
 * server answers requests before it calls anybody. What it opened closes with the layer's scope.
 */
export const layerLazySender = Layer.effect(
  Sender,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const loaded = yield* Effect.cached(
      Effect.gen(function* () {
        const { layerUndici } = yield* Effect.promise(() => import("@tapedeck/dispatcher/network"))
        return Context.get(yield* Scope.provide(Layer.build(layerUndici), scope), Sender)
      })
    )
    return Sender.of({ send: (request, options) => Effect.flatMap(loaded, (sender) => sender.send(request, options)) })
  })
)
