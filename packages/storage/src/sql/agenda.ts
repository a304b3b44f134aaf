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

/** Of either as many as are asked for. */
const select = `
  SELECT * FROM (
    SELECT q.due_at AS at, q.due_order AS due_order, q.due_kind, d.id, NULL AS recording_uuid, NULL AS status
    FROM (SELECT * FROM delivery_queue ORDER BY due_at, due_order LIMIT ?) q JOIN deliveries d ON d.sequence = q.sequence
    UNION ALL
    SELECT * FROM (
      SELECT at, due_order, 'transcript', NULL, recording_uuid, status FROM transcript_steps ORDER BY at, due_order LIMIT ?) s
  ) placed ORDER BY at, due_order LIMIT ?`

export const makeAgenda = ({ query, read }: Database, changed: Latch.Latch): Agenda => {
  const placed = (limit: number): Effect.Effect<ReadonlyArray<Due>, SqlError> =>
    Effect.map(query<PlacedRow>(select, limit, limit, limit), (rows) => rows.map(dueOf))

  return {
    next: read(Effect.map(placed(1), ([first]) => first)),
    list: read(placed(Number.MAX_SAFE_INTEGER)),
    changed: changed.await
  }
}
