import type { ClaimOptions, QueueKey } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import {
  type ClaimColumns,
  type ClaimedRow,
  type ClaimedRows,
  type DeliveryPort,
  noRows,
  queueKeyIn,
  type ReceiverRow,
  selectReceivers
} from "../../sql/deliveries/DeliveryPort.ts"
import type { ListQuery } from "../connection.ts"

// The plans of these statements do not depend on statistics. PostgreSQL estimates a LIMIT that is a parameter as a tenth of the
// table, and would read all bodies for the join: OFFSET 0 makes it look up each by its key.

const keyColumns = "account_id, receiver, retry, due_at"

/** Deliveries in flight keep their place and are skipped. */
const isFree = "n.leased_until <= clock.now"

/** A range of delivery_queue_receiver: by delivery_queue_due, PostgreSQL would read through the backlog of other queues. */
const inQueue = (from: string, until: string) => `
      (n.receiver, n.retry, n.due_at, n.due_order) >= (k.receiver, k.retry, ${from})
      AND (n.receiver, n.retry, n.due_at) <= (k.receiver, k.retry, ${until})`
const queueOrder = "ORDER BY n.receiver, n.retry, n.due_at, n.due_order"

/**
 * The time, the place of the first free delivery, and the keys of the queues with due deliveries: those of all due deliveries if
 * these are few, else found step by step from queue to queue, as in sqlite/deliveries/claim.ts. SQLite's statement would be planned as a
 * scan here; what is LATERAL and has a LIMIT is evaluated step by step. Everything before the first free delivery is in flight,
 * and is skipped once.
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

/** The instant of the claim. */
const now = "(SELECT now FROM clock)"
const isFreeThen = `n.leased_until <= ${now}`

// Rows that another claim has locked are skipped without waiting.
const chosenOfAll = `
  SELECT ${chosen} FROM delivery_queue n WHERE n.due_at <= ${now} AND ${isFreeThen}
  ORDER BY ${inDueOrder} LIMIT ? FOR UPDATE SKIP LOCKED`

// The statement starts at the place of the first free delivery.
const chosenOfQueues = `
  SELECT d.* FROM unnest(?::text[], ?::bigint[], ?::bigint[]) AS k (receiver, retry, take)
  CROSS JOIN LATERAL (
    SELECT ${chosen} FROM delivery_queue n WHERE ${inQueue("?::bigint, ?::bigint", now)} AND ${isFreeThen}
    ${queueOrder} LIMIT k.take FOR UPDATE SKIP LOCKED) d
  ORDER BY ${inDueOrder} LIMIT ?::bigint`

/**
 * Claims the rows, and returns deliveries, then receivers as rows without a sequence. It is one statement, and so a transaction by
 * itself. It updates the rows that it has locked by their physical place (ctid), and no indexed column: the new versions of rows
 * are on the same page (docs/adr/0021-the-delivery-queue.md).
 */
const claim = (due: string) => `
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
  SELECT NULL, r.document, r.sealed, r.kind, NULL, NULL, NULL, r.id, NULL, NULL, NULL
  FROM (SELECT DISTINCT receiver FROM taken) t CROSS JOIN LATERAL (${selectReceivers("= t.receiver")}) r`

const claimOfAll = claim(chosenOfAll)
const claimOfQueues = claim(chosenOfQueues)

type KeyRow = readonly [
  now: number,
  firstAt: number,
  firstOrder: number,
  accountId: number | null,
  receiver: string,
  retry: number
]

type ClaimedColumns = readonly [...ClaimColumns, dueAt: number, dueOrder: number]
type ReceiverColumns = readonly [
  sequence: null,
  document: string,
  sealed: string,
  kind: ReceiverRow[0],
  claimedAt: null,
  attempts: null,
  fence: null,
  id: string
]
type ClaimRow = ClaimedColumns | ReceiverColumns

const isDelivery = (row: ClaimRow): row is ClaimedColumns => row[0] !== null

const claimedOf = (row: ClaimedColumns): ClaimedRow => ({
  delivery: row,
  fence: row[6],
  held: row[7],
  wasLeased: row[8] > 0
})

const byDue = (a: ClaimedColumns, b: ClaimedColumns) => a[9] - b[9] || a[10] - b[10]

const inOrder = (rows: ReadonlyArray<ClaimRow>): ClaimedRows => {
  const claimed: Array<ClaimedColumns> = []
  const receivers: Array<ReceiverRow> = []
  for (const row of rows) {
    if (isDelivery(row)) claimed.push(row)
    else receivers.push([row[3], row[7], row[1], row[2]])
  }
  return { deliveries: claimed.sort(byDue).map(claimedOf), receivers }
}

/**
 * Claims concurrently with other nodes: selects the queues, lets `allocate` divide the limit, and claims by one statement what no
 * other claim has locked meanwhile. `clock` is SQL for the present instant.
 */
export const makeClaimDue = (query: ListQuery, clock: string): DeliveryPort["claimDue"] => {
  const keysNow = selectKeys(clock)
  const selectNow = `SELECT ${clock}`

  const claimRows = (
    text: string,
    ...parameters: Parameters<ListQuery> extends [string, ...infer Rest] ? Rest : never
  ) => Effect.map(query<ClaimRow>(text, ...parameters), inOrder)

  return Effect.fnUntraced(function* ({ allocate, leaseMs, limit }: ClaimOptions) {
    if (allocate === undefined) {
      const [row] = yield* query<[number]>(selectNow)
      return yield* claimRows(claimOfAll, row![0], limit, leaseMs)
    }
    const found = yield* query<KeyRow>(keysNow, limit, limit)
    const [now, firstAt, firstOrder] = found[0]!
    const keys = found.flatMap(([, , , accountId, ...key]) =>
      accountId === null ? [] : [queueKeyIn(accountId, ...key)]
    )
    const takes = allocate(keys).map((count) => Math.min(limit, count))
    const taking = keys.flatMap((key, index) => ((takes[index] ?? 0) > 0 ? [[key, takes[index]!] as const] : []))
    if (taking.length === 0) return noRows
    const columns = [
      taking.map(([{ receiver }]: readonly [QueueKey, number]) => receiver),
      taking.map(([{ isFirstAttempt }]) => (isFirstAttempt ? 0 : 1)),
      taking.map(([, count]) => count)
    ]
    return yield* claimRows(claimOfQueues, now, ...columns, firstAt, firstOrder, limit, leaseMs)
  })
}
