import { deliveryQueue, ServiceConfig } from "@tapedeck/core"
import { type Dispatcher, makeDispatcher } from "@tapedeck/dispatcher"
import { Context, Effect, Layer } from "effect"

/** The dispatcher of a world's deliveries, which the world's clock drives. */
export class WorldDispatcher extends Context.Service<WorldDispatcher, Dispatcher>()(
  "@tapedeck/emulator/WorldDispatcher"
) {
  static readonly layer = Layer.effect(
    WorldDispatcher,
    Effect.gen(function* () {
      return yield* makeDispatcher(yield* deliveryQueue(), yield* ServiceConfig)
    })
  )
}
