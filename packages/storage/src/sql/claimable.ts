import { type Allocate, allocated, type ClaimOptions, type QueueKey, type Receiver } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type QueuedRow, queuedColumns, queuedTables } from "./deliveryRows.ts"
import { listed } from "./listed.ts"
import type { Query } from "./Query.ts"
import type { Statements } from "./Statements.ts"

/** A delivery that has been claimed: its row as it is now, and why it was to be had. */
export interface TakenDelivery {
  readonly delivery: QueuedRow
  readonly fence: number
  readonly held: string | null
  /** Somebody had it in hand, and never came back. */
  readonly wasLeased: boolean
}

/** A receiver as it is now. */
export type ReceiverRow = readonly [kind: Receiver["kind"], document: string, sealed: string]

export interface Taken {
  /** In due order. */
  readonly deliveries: ReadonlyArray<TakenDelivery>
  /** Whom they go to, each once; who is gone is not among them. */
  readonly receivers: ReadonlyArray<ReceiverRow>
}

/** Takes what is due, and gives it to nobody else until `leaseMs` from now. Inside a transaction. */
export type TakeDue = (options: ClaimOptions) => Effect.Effect<Taken, SqlError>

interface DueRow extends TakenDelivery {
  readonly key: QueueKey
  readonly dueAt: number
  readonly dueOrder: number
}

/** What a claim is made of, a delivery's columns first. */
export type ClaimColumns = readonly [
  sequence: number,
  document: string,
  body: string,
  state: string,
  claimedAt: number | null,
  attempts: number,
  fence: number,
  held: string | null,
  leasedUntil: number
]

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
 * Steps over whatever waits in a queue to the next queue, by delivery_queue_lanes: as many steps as queues. Each step asks column
 * by column; asked for `(a, b) > (x, y)`, SQLite would read through the queue.
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

const take = "UPDATE delivery_queue SET claimed_at = ?, fence = ?, leased_until = ? WHERE sequence = ?"

/** Of all whose id is so. */
export const selectReceivers = (isMeant: string): string => `
  SELECT 'automation' AS kind, document, sealed FROM automations WHERE id ${isMeant}
  UNION ALL
  SELECT 'destination', document, sealed FROM destinations WHERE id ${isMeant}`

export const nothing: Taken = { deliveries: [], receivers: [] }

/** What may be claimed. Inside a transaction. */
const makeClaimable = (query: Query) => {
  const select = (conditions: string, ...parameters: ReadonlyArray<string | number>) =>
    Effect.map(query<DueColumns>(`${selectDue} WHERE ${conditions} ${inDueOrder}`, ...parameters), (rows) =>
      rows.map(rowOf)
    )

  const due = (now: Instant, limit: number) => select("q.due_at <= ? AND q.leased_until <= ?", now, now, limit)

  const dueKeys = (now: Instant) =>
    Effect.map(query<readonly [number, string, number]>(selectKeys, now, now, now, now), (rows) =>
      rows.map((row) => keyOf(...row))
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

  /** Where all that is due fits into the claim, its queues are looked up nowhere else. */
  const dueAllocated = Effect.fnUntraced(function* (
    now: Instant,
    limit: number,
    allocate: Allocate
  ): Effect.fn.Return<ReadonlyArray<DueRow>, SqlError> {
    const more = yield* query(selectMore, now, now, limit)
    if (more.length === 0) return allocated(yield* due(now, limit), allocate)
    const keys = yield* dueKeys(now)
    const takes = allocate(keys)
    const rows = yield* Effect.forEach(keys, (key, index) => {
      const take = Math.min(limit, takes[index] ?? 0)
      return take > 0 ? ofQueue(now, take, key) : Effect.succeed([])
    })
    return rows
      .flat()
      .sort((a, b) => a.dueAt - b.dueAt || a.dueOrder - b.dueOrder)
      .slice(0, limit)
  })

  return { due, dueAllocated }
}

/** For a database with one process: nobody else takes anything between two statements. */
export const makeTakeDue = ({ changeEach, now: storeNow, query }: Statements): TakeDue => {
  const { due, dueAllocated } = makeClaimable(query)

  const receiversOf = (rows: ReadonlyArray<DueRow>) => {
    const { marks, values } = listed([...new Set(rows.map(({ key }) => key.receiver))])
    return query<ReceiverRow>(selectReceivers(`IN ${marks}`), ...values, ...values)
  }

  return Effect.fnUntraced(function* ({ allocate, leaseMs, limit }) {
    const now = yield* storeNow
    const found = yield* allocate === undefined ? due(now, limit) : dueAllocated(now, limit, allocate)
    if (found.length === 0) return nothing
    const deliveries = found.map((row) => takenAt(row, now))
    yield* changeEach(
      take,
      deliveries.map(({ delivery: [sequence, , , , claimedAt], fence }) => [claimedAt, fence, now + leaseMs, sequence])
    )
    return { deliveries, receivers: yield* receiversOf(found) }
  })
}

const takenAt = ({ delivery, fence, held, wasLeased }: DueRow, now: Instant): TakenDelivery => {
  const [sequence, document, body, state, claimedAt, attempts] = delivery
  const startedAt = held === null && !wasLeased ? now : claimedAt
  return { delivery: [sequence, document, body, state, startedAt, attempts], fence: fence + 1, held, wasLeased }
}

const rowOf = (columns: DueColumns): DueRow => {
  const [, , , , , , fence, held, leasedUntil, dueAt, dueOrder, ...key] = columns
  return { delivery: columns, fence, held, wasLeased: leasedUntil > 0, dueAt, dueOrder, key: keyOf(...key) }
}

export const keyOf = (accountId: number, receiver: string, retry: number): QueueKey => ({
  accountId: accountId as QueueKey["accountId"],
  receiver: receiver as QueueKey["receiver"],
  isFirstAttempt: retry === 0
})
