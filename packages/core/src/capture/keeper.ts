import { Effect } from "effect"
import { Captures } from "./Captures.ts"

const turnMs = 5_000
const batch = 20

/** Does what is due of captures, for as long as it runs: abandons silent ones, and lets recordings enter their folders. */
export const captureKeeper = Effect.gen(function* () {
  const { runDue } = yield* Captures
  const turn = Effect.gen(function* () {
    while ((yield* runDue(batch)) === batch) yield* Effect.yieldNow
  })
  const safely = Effect.catchCause(turn, (cause) => Effect.logError("ending due captures failed; retrying", cause))
  return yield* Effect.forever(Effect.andThen(safely, Effect.sleep(turnMs)))
})
