import type { Agenda, Due } from "@tapedeck/core"
import type { DeliveryId, Instant, RecordingUuid, RedeliveryId, TranscriptStatus } from "@tapedeck/domain"
import { Effect, type Latch } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Counters, Database } from "../database/Database.ts"

type PlacedRow = readonly [
  at: Instant,
  order: number,
  ...(
    | readonly [kind: "attempt" | "attempt_end" | "lease", deliveryId: DeliveryId, uuid: null, status: null]
    | readonly [kind: "transcript", id: null, recordingUuid: RecordingUuid, status: TranscriptStatus]
    | readonly [kind: "redelivery", redeliveryId: RedeliveryId, uuid: null, status: null]
  )
]

const dueOf = ([at, , kind, id, recordingUuid, status]: PlacedRow): Due => {
  if (kind === "transcript") return { kind, at, step: { recordingUuid, at, status } }
  return kind === "redelivery" ? { kind, at, redeliveryId: id } : { kind, at, deliveryId: id }
}

/**
 * Up to `limit` of each kind. A delivery in flight is due when its lease ends, for which there is no index. But it was due when
 * it was claimed, so those that come before the last free one are also before it in the queue.
 */
const select = `
  WITH free AS (
    SELECT sequence, due_at AS at, due_order, due_kind AS kind FROM delivery_queue WHERE leased_until = 0
    ORDER BY due_at, due_order LIMIT ?
  ), leased AS (
    SELECT sequence, leased_until AS at, due_order, 'lease' AS kind FROM delivery_queue
    WHERE leased_until > 0 AND due_at <= coalesce((SELECT max(at) FROM free HAVING count(*) = ?), ${Number.MAX_SAFE_INTEGER})
  )
  SELECT * FROM (
    SELECT q.at, q.due_order, q.kind, d.id, NULL AS recording_uuid, NULL AS status
    FROM (SELECT * FROM free UNION ALL SELECT * FROM leased ORDER BY at, due_order LIMIT ?) q
    JOIN deliveries d ON d.sequence = q.sequence
    UNION ALL
    SELECT * FROM (
      SELECT at, due_order, 'transcript', NULL, recording_uuid, status FROM transcript_steps ORDER BY at, due_order LIMIT ?) s
    UNION ALL
    SELECT * FROM (
      SELECT next_at, due_order, 'redelivery', id, NULL, NULL FROM redeliveries WHERE next_at IS NOT NULL
      ORDER BY next_at, due_order LIMIT ?) r
  ) placed ORDER BY at, due_order LIMIT ?`

export const makeAgenda = ({ query, read }: Database, changed: Latch.Latch): Agenda => {
  const placed = (limit: number): Effect.Effect<ReadonlyArray<Due>, SqlError> =>
    Effect.map(query<PlacedRow>(select, limit, limit, limit, limit, limit, limit), (rows) => rows.map(dueOf))

  return {
    next: read(Effect.map(placed(1), ([first]) => first)),
    list: read(placed(Number.MAX_SAFE_INTEGER)),
    changed: changed.await
  }
}

/** Number of places that a process draws from the database at a time. */
const blockSize = 1_000

/**
 * Gives each place on the agenda a higher number than all before it: first in, first out among entries that fall due at the same
 * instant. Each process has its own blocks. The rest of a block, and what a failed transaction drew, is never given.
 */
export const makeAgendaOrder = (counters: Counters): Effect.Effect<number> => {
  let next = 0
  let end = 0
  const nextBlock = Effect.map(Effect.orDie(counters.next("agenda_block")), (block) => {
    // If two blocks are drawn concurrently, the lower one may arrive last: it is skipped.
    if (block * blockSize < next) return
    next = block * blockSize
    end = next + blockSize
  })
  const take: Effect.Effect<number> = Effect.suspend(() =>
    next < end ? Effect.succeed(next++) : Effect.andThen(nextBlock, take)
  )
  return take
}
