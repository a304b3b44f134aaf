import type { ClaimOptions, QueueKey } from "@tapedeck/core"
import { Effect } from "effect"
import {
  type ClaimColumns,
  keyOf,
  nothing,
  type ReceiverRow,
  selectReceivers,
  type TakeDue,
  type Taken,
  type TakenDelivery
} from "../sql/claimable.ts"
import type { ListQuery } from "./ListQuery.ts"

// These plans hold however many wait, whatever PostgreSQL believes of the tables. It takes a limit that is a parameter for a
// tenth of the table, and would read all bodies to join them: OFFSET 0 has each looked up by its key.

const keyColumns = "account_id, receiver, retry, due_at"

/** What is in somebody's hand keeps its place, and is stepped over. */
const isFree = "n.leased_until <= clock.now"

/** As delivery_queue_lanes has its rows, and as no other index does: by delivery_queue_due a backlog of others is read through. */
const inQueue = (from: string, until: string) => `
      (n.receiver, n.retry, n.due_at, n.due_order) >= (k.receiver, k.retry, ${from})
      AND (n.receiver, n.retry, n.due_at) <= (k.receiver, k.retry, ${until})`
const queueOrder = "ORDER BY n.receiver, n.retry, n.due_at, n.due_order"

/**
 * What time it is, the place of the first that may be had, and the keys of the queues in which something is: of what is due if that is few,
 * else from queue to queue by delivery_queue_lanes, as SQLite does in sql/claimable.ts. Its text would do here too, but be planned
 * as a walk through the table; what is LATERAL and has a LIMIT is asked step by step. Before the first all is in somebody's
 * hand: it is stepped over once.
 */
const selectKeys = (clock: string) => `
  WITH RECURSIVE clock AS MATERIALIZED (SELECT ${clock} AS now),
  few AS MATERIALIZED (
    SELECT d.* FROM clock CROSS JOIN LATERAL (
      SELECT ${keyColumns}, due_order FROM delivery_queue n WHERE due_at <= clock.now AND ${isFree}
      ORDER BY n.due_at, n.due_order LIMIT ?::bigint + 1) d
  ),
  first AS MATERIALIZED (SELECT due_at, due_order FROM few ORDER BY due_at, due_order LIMIT 1),
  size AS MATERIALIZED (SELECT count(*) > ?::bigint AS is_large FROM few),
  keys AS (
    SELECT h.* FROM size CROSS JOIN LATERAL (
      SELECT ${keyColumns} FROM delivery_queue n ${queueOrder} LIMIT 1) h
    WHERE is_large
    UNION ALL
    SELECT h.* FROM keys k CROSS JOIN LATERAL (
      SELECT ${keyColumns} FROM delivery_queue n WHERE (receiver, retry) > (k.receiver, k.retry) ${queueOrder} LIMIT 1) h
  )
  SELECT now, first.due_at, first.due_order, account_id, receiver, retry FROM clock LEFT JOIN first ON true LEFT JOIN (
    SELECT DISTINCT account_id, receiver, retry FROM few, size WHERE NOT is_large
    UNION ALL
    SELECT k.account_id, k.receiver, k.retry FROM keys k CROSS JOIN clock CROSS JOIN first CROSS JOIN LATERAL (
      SELECT FROM delivery_queue n WHERE ${inQueue("first.due_at, first.due_order", "clock.now")} AND ${isFree}
      ${queueOrder} LIMIT 1) d
    WHERE k.due_at <= now) k ON true
  ORDER BY account_id, receiver, retry`

const chosen = "n.ctid, n.due_at, n.due_order, n.leased_until"
const inDueOrder = "due_at, due_order"

/** The instant of the claim, in what takes: told once. */
const now = "(SELECT now FROM clock)"
const isFreeThen = `n.leased_until <= ${now}`

// What another claim has locked is that one's: it is stepped over, and nobody waits.
const chosenOfAll = `
  SELECT ${chosen} FROM delivery_queue n WHERE n.due_at <= ${now} AND ${isFreeThen}
  ORDER BY ${inDueOrder} LIMIT ? FOR UPDATE SKIP LOCKED`

// From where the first was found on.
const chosenOfQueues = `
  SELECT d.* FROM unnest(?::text[], ?::bigint[], ?::bigint[]) AS k (receiver, retry, take)
  CROSS JOIN LATERAL (
    SELECT ${chosen} FROM delivery_queue n WHERE ${inQueue("?::bigint, ?::bigint", now)} AND ${isFreeThen}
    ${queueOrder} LIMIT k.take FOR UPDATE SKIP LOCKED) d
  ORDER BY ${inDueOrder} LIMIT ?::bigint`

/**
 * Takes them, and reads what they are, and behind them whom they go to: rows without a sequence. One statement, and so a
 * transaction by itself. Rows that it has locked are written where they lie (ctid), with no look-up. It writes nothing that an
 * index holds: the new versions of rows lie beside the old ones (docs/adr/0021-the-delivery-queue.md).
 */
const take = (due: string) => `
  WITH clock AS MATERIALIZED (SELECT ?::bigint AS now),
  due AS MATERIALIZED (${due}),
  taken AS (
    UPDATE delivery_queue q SET fence = q.fence + 1, leased_until = ${now} + ?::bigint,
      claimed_at = CASE WHEN p.leased_until = 0 AND q.due_kind = 'attempt' THEN ${now} ELSE q.claimed_at END
    FROM due p WHERE q.ctid = p.ctid
    RETURNING q.sequence, q.state, q.claimed_at, q.attempts, q.fence, q.held, p.leased_until, q.due_at, q.due_order, q.receiver
  )
  SELECT t.sequence, o.document, o.body, t.state, t.claimed_at, t.attempts, t.fence, t.held, t.leased_until, t.due_at, t.due_order
  FROM taken t CROSS JOIN LATERAL (SELECT document, body FROM delivery_documents WHERE sequence = t.sequence OFFSET 0) o
  UNION ALL
  SELECT NULL, r.document, r.sealed, r.kind, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM (SELECT DISTINCT receiver FROM taken) t CROSS JOIN LATERAL (${selectReceivers("= t.receiver")}) r`

const takeOfAll = take(chosenOfAll)
const takeOfQueues = take(chosenOfQueues)

type KeyRow = readonly [
  now: number,
  firstAt: number,
  firstOrder: number,
  accountId: number | null,
  receiver: string,
  retry: number
]

type TakenColumns = readonly [...ClaimColumns, dueAt: number, dueOrder: number]
type ReceiverColumns = readonly [sequence: null, document: string, sealed: string, kind: ReceiverRow[0]]
type TakeRow = TakenColumns | ReceiverColumns

const isTaken = (row: TakeRow): row is TakenColumns => row[0] !== null

const takenOf = (row: TakenColumns): TakenDelivery => ({
  delivery: row,
  fence: row[6],
  held: row[7],
  wasLeased: row[8] > 0
})

const byDue = (a: TakenColumns, b: TakenColumns) => a[9] - b[9] || a[10] - b[10]

const inOrder = (rows: ReadonlyArray<TakeRow>): Taken => {
  const taken: Array<TakenColumns> = []
  const receivers: Array<ReceiverRow> = []
  for (const row of rows) {
    if (isTaken(row)) taken.push(row)
    else receivers.push([row[3], row[1], row[2]])
  }
  return { deliveries: taken.sort(byDue).map(takenOf), receivers }
}

/**
 * Takes what is due where others take at the same time: looks at the queues, lets `allocate` choose, and takes by one statement
 * whatever of it nobody else has taken meanwhile. `clock` is SQL for the present instant.
 */
export const lockingTakeDue = (query: ListQuery, clock: string): TakeDue => {
  const keysNow = selectKeys(clock)
  const selectNow = `SELECT ${clock}`

  const taken = (text: string, ...parameters: Parameters<ListQuery> extends [string, ...infer Rest] ? Rest : never) =>
    Effect.map(query<TakeRow>(text, ...parameters), inOrder)

  return Effect.fnUntraced(function* ({ allocate, leaseMs, limit }: ClaimOptions) {
    if (allocate === undefined) {
      const [row] = yield* query<[number]>(selectNow)
      return yield* taken(takeOfAll, row![0], limit, leaseMs)
    }
    const found = yield* query<KeyRow>(keysNow, limit, limit)
    const [now, firstAt, firstOrder] = found[0]!
    const keys = found.flatMap(([, , , accountId, ...key]) => (accountId === null ? [] : [keyOf(accountId, ...key)]))
    const takes = allocate(keys).map((count) => Math.min(limit, count))
    const taking = keys.flatMap((key, index) => ((takes[index] ?? 0) > 0 ? [[key, takes[index]!] as const] : []))
    if (taking.length === 0) return nothing
    const columns = [
      taking.map(([{ receiver }]: readonly [QueueKey, number]) => receiver),
      taking.map(([{ isFirstAttempt }]) => (isFirstAttempt ? 0 : 1)),
      taking.map(([, count]) => count)
    ]
    return yield* taken(takeOfQueues, now, ...columns, firstAt, firstOrder, limit, leaseMs)
  })
}
