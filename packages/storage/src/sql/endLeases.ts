import { Clock, Effect } from "effect"
import type { Database } from "./Database.ts"

/**
 * Ends the leases of deliveries and media jobs. For a process that has just got the database for itself: whoever had them
 * in hand is gone, and nobody has to wait for what it will never record. An attempt that it left counts as lost.
 */
export const endLeases = ({ sql, write }: Database): Effect.Effect<void> =>
  write(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // What is in hand was due: nothing else is looked at.
      yield* sql`UPDATE delivery_queue SET leased_until = ${now} WHERE due_at <= ${now} AND leased_until > ${now}`
      // A claim puts off what is due already: nothing else is available later than it is due.
      yield* sql`UPDATE media_jobs SET available_at = due_at WHERE available_at > due_at`
    })
  )
