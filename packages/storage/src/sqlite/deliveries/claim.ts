import { allocated } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { Allocate, ClaimOptions, QueueKey } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inList, type Query, type Statements } from "../../sql/database/statements.ts"
import {
  type ClaimColumns,
  type ClaimedRow,
  type DeliveryPort,
  noRows,
  queueKeyIn,
  type ReceiverRow,
  selectReceivers
} from "../../sql/deliveries/DeliveryPort.ts"
import { queuedColumns, queuedTables } from "../../sql/deliveries/rows.ts"

interface DueRow extends ClaimedRow {
  readonly key: QueueKey
  readonly dueAt: number
  readonly dueOrder: number
}

type DueColumns = readonly [
  ...ClaimColumns,
  dueAt: number,
  dueOrder: number,
  accountId: number,
  receiver: string,
  retry: number
]

const selectDue = `
  SELECT ${queuedColumns}, q.fence, q.held, q.leased_until, q.due_at, q.due_order, q.account_id, q.receiver, q.retry
  FROM ${queuedTables}`

const inDueOrder = "ORDER BY q.due_at, q.due_order LIMIT ?"

const nextKey = (conditions: string, order: string) => `(
      SELECT n.sequence FROM delivery_queue n WHERE ${conditions} AND n.leased_until <= ?
      ORDER BY ${order}n.due_at, n.due_order LIMIT 1)`

/**
 * Steps from queue to queue by delivery_queue_receiver, however many deliveries each has. Each step compares column by column:
 * for `(a, b) > (x, y)` SQLite would read all of the queue.
 */
const selectKeys = `
  WITH RECURSIVE keys (account_id, receiver, retry, due_at) AS (
    SELECT * FROM (
      SELECT account_id, receiver, retry, due_at FROM delivery_queue WHERE leased_until <= ?
      ORDER BY receiver, retry, due_at, due_order LIMIT 1) head
    UNION ALL
    SELECT q.account_id, q.receiver, q.retry, q.due_at FROM keys k JOIN delivery_queue q ON q.sequence = coalesce(
      ${nextKey("n.receiver = k.receiver AND n.retry > k.retry", "n.retry, ")},
      ${nextKey("n.receiver > k.receiver", "n.receiver, n.retry, ")})
  )
  SELECT account_id, receiver, retry FROM keys WHERE due_at <= ? ORDER BY account_id, receiver, retry`

const selectMore = `
  SELECT 1 FROM delivery_queue WHERE due_at <= ? AND leased_until <= ? ORDER BY due_at, due_order LIMIT 1 OFFSET ?`

const claimRow = "UPDATE delivery_queue SET claimed_at = ?, fence = ?, leased_until = ? WHERE sequence = ?"

/** Selects what may be claimed. */
const makeSelection = (query: Query) => {
  const select = (conditions: string, ...parameters: ReadonlyArray<string | number>) =>
    Effect.map(query<DueColumns>(`${selectDue} WHERE ${conditions} ${inDueOrder}`, ...parameters), (rows) =>
      rows.map(rowOf)
    )

  const due = (now: Instant, limit: number) => select("q.due_at <= ? AND q.leased_until <= ?", now, now, limit)

  const dueKeys = (now: Instant) =>
    Effect.map(query<readonly [number, string, number]>(selectKeys, now, now, now, now), (rows) =>
      rows.map((row) => queueKeyIn(...row))
    )

  const ofQueue = (now: Instant, limit: number, { isFirstAttempt, receiver }: QueueKey) =>
    select(
      "q.receiver = ? AND q.retry = ? AND q.due_at <= ? AND q.leased_until <= ?",
      receiver,
      isFirstAttempt ? 0 : 1,
      now,
      now,
      limit
    )

  /** If all due deliveries fit into the claim, their rows show which queues there are. */
  const dueAllocated = Effect.fnUntraced(function* (
    now: Instant,
    limit: number,
    allocate: Allocate
  ): Effect.fn.Return<ReadonlyArray<DueRow>, SqlError> {
    const more = yield* query(selectMore, now, now, limit)
    if (more.length === 0) return allocated(yield* due(now, limit), allocate)
    const keys = yield* dueKeys(now)
    const counts = allocate(keys)
    const rows = yield* Effect.forEach(keys, (key, index) => {
      const count = Math.min(limit, counts[index] ?? 0)
      return count > 0 ? ofQueue(now, count, key) : Effect.succeed([])
    })
    return rows
      .flat()
      .sort((a, b) => a.dueAt - b.dueAt || a.dueOrder - b.dueOrder)
      .slice(0, limit)
  })

  return { due, dueAllocated }
}

/** Claims with several statements: there is one writer, so no other claim runs between them. */
export const makeClaimDue = ({ changeEach, now: storeNow, query }: Statements): DeliveryPort["claimDue"] => {
  const { due, dueAllocated } = makeSelection(query)

  const receiversOf = (rows: ReadonlyArray<DueRow>) => {
    const { marks, values } = inList([...new Set(rows.map(({ key }) => key.receiver))])
    return query<ReceiverRow>(selectReceivers(`IN ${marks}`), ...values, ...values)
  }

  return Effect.fnUntraced(function* ({ allocate, leaseMs, limit }: ClaimOptions) {
    const now = yield* storeNow
    const found = yield* allocate === undefined ? due(now, limit) : dueAllocated(now, limit, allocate)
    if (found.length === 0) return noRows
    const deliveries = found.map((row) => claimedAt(row, now))
    yield* changeEach(
      claimRow,
      deliveries.map(({ delivery: [sequence, , , , claimedAt], fence }) => [claimedAt, fence, now + leaseMs, sequence])
    )
    return { deliveries, receivers: yield* receiversOf(found) }
  })
}

const claimedAt = ({ delivery, fence, held, wasLeased }: DueRow, now: Instant): ClaimedRow => {
  const [sequence, document, body, state, before, attempts] = delivery
  const startedAt = held === null && !wasLeased ? now : before
  return { delivery: [sequence, document, body, state, startedAt, attempts], fence: fence + 1, held, wasLeased }
}

const rowOf = (columns: DueColumns): DueRow => {
  const [, , , , , , fence, held, leasedUntil, dueAt, dueOrder, ...key] = columns
  return { delivery: columns, fence, held, wasLeased: leasedUntil > 0, dueAt, dueOrder, key: queueKeyIn(...key) }
}
