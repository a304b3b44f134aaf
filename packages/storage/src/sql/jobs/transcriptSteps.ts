import type { TranscriptStep, TranscriptStepRepository } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import type { DeliveryParts } from "../deliveries/repository.ts"

interface StepRow {
  readonly due_order: number
  readonly at: number
  readonly recording_uuid: string
  readonly status: string
}

export const stepOf = ({ at, recording_uuid, status }: Omit<StepRow, "due_order">): TranscriptStep =>
  ({ recordingUuid: recording_uuid, at, status }) as TranscriptStep

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
        return rows.map(stepOf)
      })
    )
})
