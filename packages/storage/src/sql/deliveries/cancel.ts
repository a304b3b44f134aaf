import type { CancelOptions, CancelProgress, WebhookReceiver } from "@tapedeck/core"
import type { Delivery, Instant } from "@tapedeck/domain"
import { decideDelivery } from "@tapedeck/domain/delivery"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/Database.ts"
import { inList } from "../database/statements.ts"
import { queuedDeliveryState } from "./rows.ts"

/** A receiver belongs to one account. An automation and a destination may have the same id. */
const queuedOf = (receiver: WebhookReceiver) => {
  const [column, id] =
    "automationId" in receiver ? ["automation_id", receiver.automationId] : ["destination_id", receiver.destinationId]
  // A subquery and no join, which a plan could begin with a scan of all deliveries.
  const isOfKind = `(SELECT d.${column} FROM deliveries d WHERE d.sequence = q.sequence) IS NOT NULL`
  // `+ 0`: with statistics of an empty queue, PostgreSQL would scan the primary key.
  return { from: `FROM delivery_queue q WHERE q.receiver = ? AND q.sequence + 0 <= ? AND ${isOfKind}`, id: id! }
}

const inQueueOrder = "ORDER BY q.receiver, q.retry, q.due_at, q.due_order"

/**
 * Cancels a receiver's waiting deliveries, a batch at a time, without reading documents and bodies. The last batch waits for
 * the rows that other transactions lock: it cancels those that wait by then, and marks those in flight. Inside a transaction.
 */
export const makeCancel = ({ changeEach, dialect, query }: Database) => {
  const waiting = (from: string) => `SELECT q.sequence ${from} AND q.due_kind = 'attempt' AND q.leased_until = 0
    ${inQueueOrder} LIMIT ?${dialect.skippingLocked}`
  const left = (from: string) => `SELECT q.sequence, q.state, q.claimed_at,
    CASE WHEN q.due_kind = 'attempt' AND q.leased_until = 0 THEN 1 ELSE 0 END ${from}${dialect.forUpdate}`

  const end = Effect.fnUntraced(function* (
    rows: ReadonlyArray<readonly [sequence: number, ...rest: ReadonlyArray<unknown>]>,
    at: Instant
  ) {
    if (rows.length === 0) return
    const { marks, values } = inList(rows.map(([sequence]) => sequence))
    yield* query(`DELETE FROM delivery_queue WHERE sequence IN ${marks}`, ...values)
    yield* query(`UPDATE deliveries SET ended_as = 'Cancelled', ended_at = ? WHERE sequence IN ${marks}`, at, ...values)
  })

  /** The worker finds the mark when it settles the claim. */
  const marked = (state: Delivery["state"], at: Instant) =>
    JSON.stringify(Result.getOrThrow(decideDelivery(state, { _tag: "CancelRequested", at }, [])))

  return Effect.fnUntraced(function* (
    receiver: WebhookReceiver,
    { at, limit, progress }: CancelOptions
  ): Effect.fn.Return<CancelProgress | null, SqlError> {
    const [newest] =
      progress === null ? yield* query<[number]>("SELECT sequence FROM deliveries ORDER BY sequence DESC LIMIT 1") : []
    const upTo = progress?.upTo ?? newest?.[0] ?? 0
    const { from, id } = queuedOf(receiver)
    const found = yield* query<[number]>(waiting(from), id, upTo, limit)
    yield* end(found, at)
    if (found.length === limit) return { upTo, after: 0 }
    const rows = yield* query<[number, string, Instant | null, number]>(left(from), id, upTo)
    yield* end(
      rows.filter(([, , , waits]) => waits === 1),
      at
    )
    yield* changeEach(
      "UPDATE delivery_queue SET state = ?, claimed_at = NULL WHERE sequence = ?",
      rows
        .filter(([, , , waits]) => waits === 0)
        .map(([sequence, text, claimedAt]) => [marked(queuedDeliveryState(sequence, text, claimedAt), at), sequence])
    )
    return null
  })
}
