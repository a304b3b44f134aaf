import { Emulator, type EmulatorError } from "@tapedeck/emulator/effect"
import { Effect, type Layer } from "effect"

export const layer: Layer.Layer<Emulator, EmulatorError> = Emulator.layer({ seed: 1 })

export const fired: Effect.Effect<number, EmulatorError, Emulator> = Effect.gen(function* () {
  const emulator = yield* Emulator
  const world = yield* emulator.fork()
  const move = yield* world.clock.advance({ by: "PT1M" })
  return move.fired.length
})
