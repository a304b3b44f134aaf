import { TestSender } from "@tapedeck/core"
import { makeTestSender } from "@tapedeck/dispatcher"
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
          Effect.suspend(() => {
            const { epoch } = world
            return Effect.map(send(delivery), (sent) => {
              // The state whose receiver it was is gone.
              if (epoch !== world.epoch) return null
              for (const attempt of sent?.attempts ?? []) world.note(attemptNote(sent!, attempt), attempt.at)
              return sent
            })
          })
      })
    )
  ).pipe(Layer.provide(TestSender.layer(makeTestSender)))
