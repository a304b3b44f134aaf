import { TestSender } from "@tapedeck/core"
import { layerTestSender } from "@tapedeck/dispatcher"
import { Effect, Layer } from "effect"
import { attemptNote } from "./journal/attempts.ts"
import type { World } from "./World.ts"

/** Send-tests of a world. They run at the present virtual instant, and appear in the journal as every attempt. */
export const journaledTestSender = (world: World) =>
  Layer.effect(
    TestSender,
    Effect.map(TestSender, ({ send }) =>
      TestSender.of({
        send: (delivery) =>
          Effect.tap(send(delivery), (sent) =>
            Effect.sync(() => {
              for (const attempt of sent?.attempts ?? []) world.note(attemptNote(sent!, attempt), attempt.at)
            })
          )
      })
    )
  ).pipe(Layer.provide(layerTestSender))
