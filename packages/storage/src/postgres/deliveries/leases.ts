import { Effect } from "effect"
import { lookup } from "../../sql/database/statements.ts"
import type { DeliveryPort } from "../../sql/deliveries/DeliveryPort.ts"
import type { ListQuery } from "../connection.ts"

/**
 * Skips locked rows: a row is locked while its outcome is recorded, which locks rows in another order, so that waiting could
 * deadlock. The claim of a skipped row counts as valid, and is renewed the next time.
 */
const renew = (clock: string) => `
  WITH held AS MATERIALIZED (
    SELECT c.place, c.fence, q.sequence FROM unnest(?::text[], ?::bigint[]) WITH ORDINALITY AS c (id, fence, place)
    CROSS JOIN LATERAL (SELECT sequence FROM deliveries WHERE id = c.id OFFSET 0) d
    CROSS JOIN LATERAL (
      SELECT sequence FROM delivery_queue
      WHERE sequence = d.sequence AND fence = c.fence AND leased_until > 0 OFFSET 0) q
  ), free AS MATERIALIZED (
    SELECT q.sequence FROM held CROSS JOIN LATERAL (
      SELECT sequence FROM delivery_queue
      WHERE sequence = held.sequence AND fence = held.fence AND leased_until > 0 FOR UPDATE SKIP LOCKED) q
  ), renewed AS (
    UPDATE delivery_queue q SET leased_until = ${clock} + ?::bigint FROM free
    WHERE ${lookup("q.sequence", "free.sequence")}
  )
  SELECT place FROM held`

/** Renews all leases with one statement. `clock` is SQL for the present instant. */
export const makeRenewLeases = (query: ListQuery, clock: string): DeliveryPort["renewLeases"] => {
  const statement = renew(clock)
  return (claims, leaseMs) => {
    if (claims.length === 0) return Effect.succeed([])
    const ids = claims.map(({ delivery }) => delivery.id)
    const fences = claims.map(({ fence }) => fence)
    return Effect.map(query<[place: number]>(statement, ids, fences, leaseMs), (rows) => {
      const places = new Set(rows.map(([place]) => Number(place)))
      return claims.map((_, index) => places.has(index + 1))
    })
  }
}
