import { Emulator } from "@tapedeck/emulator/effect"
import { Effect } from "effect"
import { fixtures, recording } from "../fixtures.mjs"

const program = Effect.gen(function* () {
  const emulator = yield* Emulator
  yield* emulator.addToFolder("vip", recording)
  const { fired } = yield* emulator.clock.advance({ until: "idle" })
  const refused = yield* Effect.flip(emulator.clock.advance({ by: "soon" }))
  return { outcomes: fired.map(({ outcome }) => outcome), refused: refused._tag }
})

const answer = await Effect.runPromise(program.pipe(Effect.provide(Emulator.layer({ fixtures }))))
process.stdout.write(JSON.stringify(answer))
