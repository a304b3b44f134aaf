import type { CancelOptions, CancelProgress, WebhookReceiver } from "@tapedeck/core"
import { type Delivery, decideDelivery, type Instant } from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import { queuedDeliveryState } from "./deliveryRows.ts"
import { listed } from "./listed.ts"

/** A receiver is one account's, and its id may be that of one of the other kind. */
const queuedOf = (receiver: WebhookReceiver) => {
  const [column, id] =
    "automationId" in receiver ? ["automation_id", receiver.automationId] : ["destination_id", receiver.destinationId]
  // A value and no join: each row is looked up, and no plan goes through all deliveries.
  const isOfKind = `(SELECT d.${column} FROM deliveries d WHERE d.sequence = q.sequence) IS NOT NULL`
  // `+ 0`: a queue that was empty when PostgreSQL looked last would be walked by its primary key.
  return { from: `FROM delivery_queue q WHERE q.receiver = ? AND q.sequence + 0 <= ? AND ${isOfKind}`, id: id! }
}

const inLaneOrder = "ORDER BY q.receiver, q.retry, q.due_at, q.due_order"

/**
 * Cancels what waits for a receiver, a batch at a time, from the queue alone: documents and bodies are not read. What is in
 * flight is marked once nothing waits any more. Inside a transaction.
 */
export const makeCancelDeliveries = ({ changeEach, dialect, query }: Database) => {
  const waiting = (from: string) => `SELECT q.sequence ${from} AND q.due_kind = 'attempt' AND q.leased_until = 0
    ${inLaneOrder} LIMIT ?${dialect.skippingLocked}`
  const inFlight = (from: string) => `SELECT q.sequence, q.state, q.claimed_at ${from}
    AND (q.due_kind <> 'attempt' OR q.leased_until > 0)${dialect.forUpdate}`

  const end = Effect.fnUntraced(function* (sequences: ReadonlyArray<number>, at: Instant) {
    const { marks, values } = listed(sequences)
    yield* query(`DELETE FROM delivery_queue WHERE sequence IN ${marks}`, ...values)
    yield* query(`UPDATE deliveries SET ended_as = 'Cancelled', ended_at = ? WHERE sequence IN ${marks}`, at, ...values)
  })

  /** Its worker finds the mark as it settles. */
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
    if (found.length > 0)
      yield* end(
        found.map(([sequence]) => sequence),
        at
      )
    if (found.length === limit) return { upTo, behind: 0 }
    const rows = yield* query<[number, string, number | null]>(inFlight(from), id, upTo)
    yield* changeEach(
      "UPDATE delivery_queue SET state = ?, claimed_at = NULL WHERE sequence = ?",
      rows.map(([sequence, text, claimedAt]) => [marked(queuedDeliveryState(text, claimedAt), at), sequence])
    )
    return null
  })
}
