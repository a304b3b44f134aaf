import type { TranscriptStepRepository } from "@tapedeck/core"
import type { Instant, RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import type { DeliveryParts } from "../deliveries/repository.ts"

interface StepRow {
  readonly due_order: number
  readonly at: Instant
  readonly recording_uuid: RecordingUuid
  readonly status: TranscriptStatus
}

export const makeTranscriptSteps = (
  { now: storeNow, sql, write }: Database,
  { agendaChanged, agendaOrder }: Pick<DeliveryParts, "agendaChanged" | "agendaOrder">
): TranscriptStepRepository => ({
  add: ({ at, recordingUuid, status }) =>
    write(
      Effect.flatMap(
        Effect.andThen(agendaChanged, agendaOrder),
        (order) => sql`INSERT INTO transcript_steps (due_order, at, recording_uuid, status)
          VALUES (${order}, ${at}, ${recordingUuid}, ${status})`
      )
    ).pipe(Effect.asVoid),
  take: (limit) =>
    write(
      Effect.gen(function* () {
        const now = yield* storeNow
        const rows = yield* sql<StepRow>`
          SELECT due_order, at, recording_uuid, status FROM transcript_steps WHERE at <= ${now}
          ORDER BY at, due_order LIMIT ${limit}`
        if (rows.length === 0) return []
        yield* agendaChanged
        yield* sql`DELETE FROM transcript_steps WHERE due_order IN ${sql.in(rows.map((row) => row.due_order))}`
        return rows.map(({ at, recording_uuid, status }) => ({ recordingUuid: recording_uuid, at, status }))
      })
    )
})
