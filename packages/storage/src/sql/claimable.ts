import { type Lane, type Share, sharedOut } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type DeliveryRow, deliveryColumns, deliveryTables } from "./deliveryRows.ts"
import type { Query } from "./Query.ts"

/** A delivery that may be claimed, and its place among those. */
export interface ClaimedRow {
  readonly delivery: DeliveryRow
  readonly fence: number
  readonly held: string | null
  readonly dueKind: string
}

export interface DueRow extends ClaimedRow {
  readonly dueAt: number
  readonly dueOrder: number
  readonly lane: Lane
}

/** A delivery's columns first. */
export type DueColumns = readonly [
  sequence: number,
  state: string,
  attempts: number,
  document: string,
  body: string,
  fence: number,
  held: string | null,
  dueKind: string,
  dueAt: number,
  dueOrder: number,
  accountId: number,
  receiver: string,
  retry: number
]

export const dueColumns = `${deliveryColumns}, d.fence, d.held, d.due_kind, d.due_at, d.due_order, d.account_id, d.receiver, d.retry`
const selectDue = `SELECT ${dueColumns} FROM ${deliveryTables}`

const inDueOrder = "ORDER BY d.due_at, d.due_order LIMIT ?"

const nextLane = (conditions: string, order: string) => `(
      SELECT n.sequence FROM deliveries n WHERE n.due_at IS NOT NULL AND ${conditions}
      ORDER BY ${order}n.due_at, n.due_order LIMIT 1)`

/**
 * Steps over whatever waits in a lane to the next lane, by deliveries_lanes: as many steps as lanes. Each step asks column by
 * column; asked for `(a, b, c) > (x, y, z)`, SQLite would read through the lane.
 */
const selectLanes = `
  WITH RECURSIVE lanes (account_id, receiver, retry, due_at) AS (
    SELECT * FROM (
      SELECT account_id, receiver, retry, due_at FROM deliveries WHERE due_at IS NOT NULL
      ORDER BY account_id, receiver, retry, due_at, due_order LIMIT 1) head
    UNION ALL
    SELECT d.account_id, d.receiver, d.retry, d.due_at FROM lanes l JOIN deliveries d ON d.sequence = coalesce(
      ${nextLane("n.account_id = l.account_id AND n.receiver = l.receiver AND n.retry > l.retry", "n.retry, ")},
      ${nextLane("n.account_id = l.account_id AND n.receiver > l.receiver", "n.receiver, n.retry, ")},
      ${nextLane("n.account_id > l.account_id", "n.account_id, n.receiver, n.retry, ")})
  )
  SELECT account_id, receiver, retry FROM lanes WHERE due_at <= ? ORDER BY account_id, receiver, retry`

export const selectMore = "SELECT 1 FROM deliveries WHERE due_at <= ? ORDER BY due_at, due_order LIMIT 1 OFFSET ?"

/** What a claim chooses from. Inside a transaction. */
export interface Claimable {
  readonly due: (now: Instant, limit: number) => Effect.Effect<ReadonlyArray<ClaimedRow>, SqlError>
  readonly shared: (now: Instant, limit: number, share: Share) => Effect.Effect<ReadonlyArray<ClaimedRow>, SqlError>
}

export const makeClaimable = (query: Query): Claimable => {
  const select = (conditions: string, ...parameters: ReadonlyArray<string | number>) =>
    Effect.map(query<DueColumns>(`${selectDue} WHERE ${conditions} ${inDueOrder}`, ...parameters), (rows) =>
      rows.map(rowOf)
    )

  const due = (now: Instant, limit: number) => select("d.due_at <= ?", now, limit)

  const dueLanes = (now: Instant) =>
    Effect.map(query<readonly [number, string, number]>(selectLanes, now), (rows) => rows.map((row) => laneOf(...row)))

  const ofLane = (now: Instant, limit: number, { accountId, first, receiver }: Lane) =>
    select(
      "d.account_id = ? AND d.receiver = ? AND d.retry = ? AND d.due_at <= ?",
      accountId,
      receiver,
      first ? 0 : 1,
      now,
      limit
    )

  /** Where all that is due fits into the claim, its lanes are looked up nowhere else. */
  const shared = Effect.fnUntraced(function* (
    now: Instant,
    limit: number,
    share: Share
  ): Effect.fn.Return<ReadonlyArray<DueRow>, SqlError> {
    const more = yield* query(selectMore, now, limit)
    if (more.length === 0) return sharedOut(yield* due(now, limit), share)
    const lanes = yield* dueLanes(now)
    const takes = share(lanes)
    const rows = yield* Effect.forEach(lanes, (lane, index) => {
      const take = Math.min(limit, takes[index] ?? 0)
      return take > 0 ? ofLane(now, take, lane) : Effect.succeed([])
    })
    return rows
      .flat()
      .sort((a, b) => a.dueAt - b.dueAt || a.dueOrder - b.dueOrder)
      .slice(0, limit)
  })

  return { due, shared }
}

export const rowOf = (delivery: DueColumns): DueRow => {
  const [, , , , , fence, held, dueKind, dueAt, dueOrder, ...lane] = delivery
  return { delivery, fence, held, dueKind, dueAt, dueOrder, lane: laneOf(...lane) }
}

export const laneOf = (accountId: number, receiver: string, retry: number): Lane => ({
  accountId: accountId as Lane["accountId"],
  receiver: receiver as Lane["receiver"],
  first: retry === 0
})
