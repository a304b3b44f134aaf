import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { FileRows } from "./rows.ts"

/** So often it is looked for loose files, and one that was found so often is nobody's. */
const every = "1 hour"
const MOST_LOOKS = 24

/**
 * Removes files that no recording has for a day, where other processes may be about to give one to a recording; for as long
 * as it is let. How long one is loose is what this process has seen: no machine's clock is asked.
 */
export const removeLooseInTime = (
  { fenced, read }: Pick<Database, "fenced" | "read">,
  rows: FileRows,
  onRemoved: Effect.Effect<void>
): Effect.Effect<never> => {
  let looks = new Map<string, number>()
  const look = Effect.gen(function* () {
    const seen = new Map<string, number>()
    for (const id of yield* read(rows.loose)) seen.set(id, (looks.get(id) ?? 0) + 1)
    for (const [id, count] of seen) {
      if (count <= MOST_LOOKS) continue
      yield* fenced(Effect.andThen(rows.removeIfLoose(id), onRemoved))
      seen.delete(id)
    }
    looks = seen
  })
  const turn = Effect.catchCause(look, (cause) =>
    Effect.logWarning("Files that no recording has were not looked for", cause)
  )
  return Effect.forever(Effect.andThen(turn, Effect.sleep(every)))
}
