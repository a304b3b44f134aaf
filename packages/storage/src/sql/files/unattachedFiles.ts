import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { FileRows } from "./rows.ts"

/** Unattached files are listed at this interval; a file that was in this many lists is removed. */
const interval = "1 hour"
const maxListings = 24

/**
 * Removes files that have been unattached for a day, forever. Before that, another process may be about to attach them. This
 * process measures the time by its own listings, not by a clock.
 */
export const removeUnattached = (
  { read, readCommitted }: Pick<Database, "read" | "readCommitted">,
  rows: FileRows,
  onRemoved: Effect.Effect<void>
): Effect.Effect<never> => {
  let listings = new Map<string, number>()
  const list = Effect.gen(function* () {
    const seen = new Map<string, number>()
    for (const id of yield* read(rows.unattached)) seen.set(id, (listings.get(id) ?? 0) + 1)
    for (const [id, count] of seen) {
      if (count <= maxListings) continue
      yield* readCommitted(Effect.andThen(rows.removeIfUnattached(id), onRemoved))
      seen.delete(id)
    }
    listings = seen
  })
  const listSafely = Effect.catchCause(list, (cause) =>
    Effect.logWarning("Unattached files could not be listed", cause)
  )
  return Effect.forever(Effect.andThen(listSafely, Effect.sleep(interval)))
}
