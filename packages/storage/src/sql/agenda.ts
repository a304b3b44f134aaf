import type { Agenda, Due } from "@tapedeck/core"
import { Effect, type Latch } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import { stepOf } from "./transcriptSteps.ts"

type PlacedRow = readonly [
  at: number,
  order: number,
  kind: Due["kind"],
  deliveryId: string | null,
  recordingUuid: string | null,
  status: string | null
]

const dueOf = ([at, , kind, deliveryId, recordingUuid, status]: PlacedRow): Due =>
  (kind === "transcript"
    ? { kind, at, step: stepOf({ at, recording_uuid: recordingUuid!, status: status! }) }
    : { kind, at, deliveryId }) as Due

/**
 * Of each as many as are asked for. What is in hand is due when its lease ends, which no index says. But it was due when it was
 * claimed: what is in hand and comes before the last that is in nobody's hands lies before that one in the queue.
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
  ) placed ORDER BY at, due_order LIMIT ?`

export const makeAgenda = ({ query, read }: Database, changed: Latch.Latch): Agenda => {
  const placed = (limit: number): Effect.Effect<ReadonlyArray<Due>, SqlError> =>
    Effect.map(query<PlacedRow>(select, limit, limit, limit, limit, limit), (rows) => rows.map(dueOf))

  return {
    next: read(Effect.map(placed(1), ([first]) => first)),
    list: read(placed(Number.MAX_SAFE_INTEGER)),
    changed: changed.await
  }
}
