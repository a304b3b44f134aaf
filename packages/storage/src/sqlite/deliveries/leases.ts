import type { Claim } from "@tapedeck/domain/delivery"
import { Clock, Effect } from "effect"
import type { Database } from "../../sql/database/Database.ts"
import type { Statements } from "../../sql/database/statements.ts"
import type { DeliveryPort } from "../../sql/deliveries/DeliveryPort.ts"

const renewLease = `
  UPDATE delivery_queue SET leased_until = ?
  WHERE sequence = (SELECT sequence FROM deliveries WHERE id = ?) AND fence = ? AND leased_until > 0`

export const makeRenewLeases = ({ changeEach, now }: Statements): DeliveryPort["renewLeases"] =>
  Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>, leaseMs: number) {
    const leaseEnd = (yield* now) + leaseMs
    const changed = yield* changeEach(
      renewLease,
      claims.map(({ delivery, fence }) => [leaseEnd, delivery.id, fence])
    )
    return changed.map((count) => count > 0)
  })

/**
 * Ends the leases of deliveries, jobs and uploads. For a process that has just got the database for itself: the process that had
 * them has ended. Its attempts count as lost.
 */
export const endLeases = ({ sql, write }: Database): Effect.Effect<void> =>
  write(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // A claimed delivery was due: the index on `due_at` excludes the others.
      yield* sql`UPDATE delivery_queue SET leased_until = ${now} WHERE due_at <= ${now} AND leased_until > ${now}`
      // A job that is not claimed is available when it is due.
      yield* sql`UPDATE jobs SET available_at = due_at WHERE available_at > due_at`
      yield* sql`
        UPDATE uploads SET document = json_set(document, '$.leasedUntil', json('null'))
        WHERE in_progress_of IS NOT NULL AND json_extract(document, '$.leasedUntil') IS NOT NULL`
    })
  )
