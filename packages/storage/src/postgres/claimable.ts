import { type Share, sharedOut } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import {
  type Claimable,
  type DueColumns,
  type DueRow,
  dueColumns,
  laneOf,
  rowOf,
  selectMore
} from "../sql/claimable.ts"
import type { ListQuery } from "./ListQuery.ts"

// These plans hold however many wait, whatever PostgreSQL believes of the tables. It takes a limit that is a parameter for a
// tenth of the table, and would read all bodies to join them: OFFSET 0 has each looked up by its key.
const withDocuments = `
  CROSS JOIN LATERAL (SELECT document, body FROM delivery_documents WHERE sequence = d.sequence OFFSET 0) o`

// What another claim has locked is that one's: it is stepped over, and nobody waits.
const selectDue = `SELECT ${dueColumns}
  FROM (SELECT * FROM deliveries WHERE due_at <= ? ORDER BY due_at, due_order LIMIT ? FOR UPDATE SKIP LOCKED) d
  ${withDocuments}`

const ofNextLane = "account_id, receiver, retry, due_at FROM deliveries WHERE due_at IS NOT NULL"
const laneOrder = "ORDER BY account_id, receiver, retry, due_at, due_order LIMIT 1"

/**
 * From lane to lane by deliveries_lanes, as SQLite does in sql/claimable.ts: one search of the index for each. Its text would
 * do here too, but be planned as a walk through the table; what is LATERAL and has a LIMIT is asked step by step.
 */
const selectLanes = `
  WITH RECURSIVE lanes AS (
    (SELECT ${ofNextLane} ${laneOrder})
    UNION ALL
    SELECT n.* FROM lanes l CROSS JOIN LATERAL (
      SELECT ${ofNextLane} AND (account_id, receiver, retry) > (l.account_id, l.receiver, l.retry) ${laneOrder}) n
  )
  SELECT account_id, receiver, retry FROM lanes WHERE due_at <= ? ORDER BY account_id, receiver, retry`

// By rows compared as in deliveries_lanes, which no other index answers: by deliveries_due a crowd of others is read through.
const selectOfLanes = `SELECT ${dueColumns}
  FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[]) AS l (account_id, receiver, retry, take)
  CROSS JOIN LATERAL (
    SELECT * FROM deliveries n
    WHERE n.due_at IS NOT NULL
      AND (n.account_id, n.receiver, n.retry) >= (l.account_id, l.receiver, l.retry)
      AND (n.account_id, n.receiver, n.retry, n.due_at) <= (l.account_id, l.receiver, l.retry, ?::bigint)
    ORDER BY n.account_id, n.receiver, n.retry, n.due_at, n.due_order LIMIT l.take FOR UPDATE SKIP LOCKED) d
  ${withDocuments}`

type LaneRow = readonly [accountId: number, receiver: string, retry: number]

const inDueOrder = (a: DueRow, b: DueRow) => a.dueAt - b.dueAt || a.dueOrder - b.dueOrder

/** What a claim chooses from, where others claim at the same time; whoever chooses has it until the transaction ends. */
export const lockingClaimable = (query: ListQuery): Claimable => {
  const due = (now: Instant, limit: number) =>
    Effect.map(query<DueColumns>(selectDue, now, limit), (rows) => rows.map(rowOf).sort(inDueOrder))

  const shared = Effect.fnUntraced(function* (now: Instant, limit: number, share: Share) {
    const more = yield* query(selectMore, now, limit)
    if (more.length === 0) return sharedOut(yield* due(now, limit), share)
    const lanes = yield* query<LaneRow>(selectLanes, now)
    const takes = share(lanes.map((lane) => laneOf(...lane))).map((take) => Math.min(limit, take))
    const taking = lanes.flatMap((lane, index) => ((takes[index] ?? 0) > 0 ? [[...lane, takes[index]!] as const] : []))
    if (taking.length === 0) return []
    const columns = [0, 1, 2, 3].map((column) => taking.map((lane) => lane[column]!))
    const rows = yield* query<DueColumns>(selectOfLanes, ...columns, now)
    return rows.map(rowOf).sort(inDueOrder).slice(0, limit)
  })

  return { due, shared }
}
