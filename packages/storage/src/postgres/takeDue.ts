import type { ClaimOptions, Lane } from "@tapedeck/core"
import { Effect } from "effect"
import { type ClaimColumns, laneOf, type TakeDue, type TakenDelivery } from "../sql/claimable.ts"
import { lookedUp } from "../sql/lookedUp.ts"
import type { ListQuery } from "./ListQuery.ts"

// These plans hold however many wait, whatever PostgreSQL believes of the tables. It takes a limit that is a parameter for a
// tenth of the table, and would read all bodies to join them: OFFSET 0 has each looked up by its key.

const laneColumns = "account_id, receiver, retry, due_at"
const laneOrder = "ORDER BY receiver, retry, due_at, due_order LIMIT 1"

/**
 * What time it is, and the lanes in which something is due: of what is due if that is few, else from lane to lane by
 * delivery_queue_lanes, as SQLite does in sql/claimable.ts. Its text would do here too, but be planned as a walk through the
 * table; what is LATERAL and has a LIMIT is asked step by step.
 */
const selectLanes = (clock: string) => `
  WITH RECURSIVE clock AS MATERIALIZED (SELECT ${clock} AS now),
  few AS MATERIALIZED (
    SELECT d.* FROM clock CROSS JOIN LATERAL (
      SELECT ${laneColumns} FROM delivery_queue WHERE due_at <= clock.now
      ORDER BY delivery_queue.due_at, due_order LIMIT ?::bigint + 1) d
  ),
  crowd AS MATERIALIZED (SELECT count(*) > ?::bigint AS is_crowd FROM few),
  lanes AS (
    SELECT h.* FROM crowd CROSS JOIN LATERAL (SELECT ${laneColumns} FROM delivery_queue ${laneOrder}) h WHERE is_crowd
    UNION ALL
    SELECT n.* FROM lanes l CROSS JOIN LATERAL (
      SELECT ${laneColumns} FROM delivery_queue WHERE (receiver, retry) > (l.receiver, l.retry) ${laneOrder}) n
  )
  SELECT now, account_id, receiver, retry FROM clock LEFT JOIN (
    SELECT DISTINCT account_id, receiver, retry FROM few, crowd WHERE NOT is_crowd
    UNION ALL
    SELECT account_id, receiver, retry FROM lanes, clock WHERE due_at <= now) l ON true
  ORDER BY account_id, receiver, retry`

const chosen = "sequence, due_kind, due_at, due_order, claimed_at"

// What another claim has locked is that one's: it is stepped over, and nobody waits.
const chosenOfAll = `
  SELECT ${chosen} FROM delivery_queue WHERE due_at <= ?::bigint ORDER BY due_at, due_order LIMIT ? FOR UPDATE SKIP LOCKED`

// By rows compared as in delivery_queue_lanes, which no other index answers: by delivery_queue_due a crowd of others is read through.
const chosenOfLanes = `
  SELECT d.* FROM unnest(?::text[], ?::bigint[], ?::bigint[]) AS l (receiver, retry, take)
  CROSS JOIN LATERAL (
    SELECT ${chosen} FROM delivery_queue n
    WHERE (n.receiver, n.retry) >= (l.receiver, l.retry)
      AND (n.receiver, n.retry, n.due_at) <= (l.receiver, l.retry, ?::bigint)
    ORDER BY n.receiver, n.retry, n.due_at, n.due_order LIMIT l.take FOR UPDATE SKIP LOCKED) d`

/** Takes them, and reads what they are. One statement, and so a transaction by itself. */
const take = (due: string) => `
  WITH due AS MATERIALIZED (${due}),
  placed AS (SELECT due.*, row_number() OVER (ORDER BY due_at, due_order) AS place FROM due),
  taken AS (
    UPDATE delivery_queue q SET retry = 1, fence = q.fence + 1, due_kind = 'lease', due_at = ?::bigint,
      due_order = (?::bigint[])[p.place], claimed_at = CASE p.due_kind WHEN 'attempt' THEN ?::bigint ELSE p.claimed_at END
    FROM placed p WHERE ${lookedUp("q.sequence", "p.sequence")} AND p.place <= ?::bigint
    RETURNING q.sequence, q.state, q.claimed_at, q.attempts, q.fence, q.held, p.due_kind, p.place
  )
  SELECT t.sequence, o.document, o.body, t.state, t.claimed_at, t.attempts, t.fence, t.held, t.due_kind, t.place
  FROM taken t CROSS JOIN LATERAL (SELECT document, body FROM delivery_documents WHERE sequence = t.sequence OFFSET 0) o`

const takeOfAll = take(chosenOfAll)
const takeOfLanes = take(chosenOfLanes)

type LaneRow = readonly [now: number, accountId: number | null, receiver: string, retry: number]

type TakenColumns = readonly [...ClaimColumns, place: number]

const takenOf = (row: TakenColumns): TakenDelivery => ({ delivery: row, fence: row[6], held: row[7], dueKind: row[8] })

/**
 * Takes what is due where others take at the same time: looks at the lanes, lets the share choose, and takes by one statement
 * whatever of it nobody else has taken meanwhile. `clock` is SQL for the present instant.
 */
export const lockingTakeDue =
  (query: ListQuery, clock: string) =>
  (agendaOrder: Effect.Effect<number>): TakeDue => {
    const lanesNow = selectLanes(clock)
    const selectNow = `SELECT ${clock}`

    const orders = (count: number) => Effect.replicateEffect(agendaOrder, count)

    const taken = Effect.fnUntraced(function* (
      text: string,
      chosen: ReadonlyArray<Parameters<ListQuery>[1]>,
      { leaseMs, limit, now }: Pick<ClaimOptions, "leaseMs" | "limit"> & { readonly now: number }
    ) {
      const rows = yield* query<TakenColumns>(text, ...chosen, now + leaseMs, yield* orders(limit), now, limit)
      return [...rows].sort((a, b) => a[9] - b[9]).map(takenOf)
    })

    return Effect.fnUntraced(function* ({ leaseMs, limit, share }) {
      if (share === undefined) {
        const [row] = yield* query<[number]>(selectNow)
        const now = row![0]
        return yield* taken(takeOfAll, [now, limit], { leaseMs, limit, now })
      }
      const found = yield* query<LaneRow>(lanesNow, limit, limit)
      const now = found[0]![0]
      const lanes = found.flatMap(([, accountId, ...lane]) => (accountId === null ? [] : [laneOf(accountId, ...lane)]))
      const takes = share(lanes).map((count) => Math.min(limit, count))
      const taking = lanes.flatMap((lane, index) => ((takes[index] ?? 0) > 0 ? [[lane, takes[index]!] as const] : []))
      if (taking.length === 0) return []
      const columns = [
        taking.map(([{ receiver }]: readonly [Lane, number]) => receiver),
        taking.map(([{ first }]) => (first ? 0 : 1)),
        taking.map(([, count]) => count)
      ]
      const most = Math.min(
        limit,
        takes.reduce((sum, count) => sum + count, 0)
      )
      return yield* taken(takeOfLanes, [...columns, now], { leaseMs, limit: most, now })
    })
  }
