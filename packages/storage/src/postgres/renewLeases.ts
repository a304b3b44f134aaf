import { Effect } from "effect"
import { lookedUp } from "../sql/lookedUp.ts"
import type { RenewLeases } from "../sql/renewLeases.ts"
import type { ListQuery } from "./ListQuery.ts"

/**
 * A row that is locked is stepped over: it is being settled, and its worker's settlements lock their rows in an order of their
 * own, so that each would wait for the other. It is found still to be its worker's, which may renew it the next time.
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
    WHERE ${lookedUp("q.sequence", "free.sequence")}
  )
  SELECT place FROM held`

/** All in one statement, by the database's time. `clock` is SQL for the present instant. */
export const renewLeases = (query: ListQuery, clock: string): RenewLeases => {
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
