import type { Sliced } from "@tapedeck/domain/internal/time"
import { Effect } from "effect"

/** Characters of work after which other fibers run: some milliseconds. */
const maxCharactersAtOnce = 256 * 1024

/** Runs sliced work. Other fibers run each time it has yielded 256 Ki characters. Belongs outside of transactions. */
export const inSlices = <Result>(work: Sliced<Result>): Effect.Effect<Result> => {
  const rest = (): Effect.Effect<Result> => {
    let characters = 0
    for (;;) {
      const step = work.next()
      if (step.done === true) return Effect.succeed(step.value)
      characters += step.value
      if (characters >= maxCharactersAtOnce) return Effect.flatMap(Effect.yieldNow, rest)
    }
  }
  return Effect.suspend(rest)
}
