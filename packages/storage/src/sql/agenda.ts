import type { Agenda, Due } from "@tapedeck/core"
import { Effect, type Latch } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import { type StepRow, stepOf } from "./transcriptSteps.ts"

interface DueRow {
  readonly id: string
  readonly due_kind: string
  readonly due_at: number
  readonly due_order: number
}

interface Placed {
  readonly order: number
  readonly due: Due
}

export const makeAgenda = ({ read, sql }: Database, changed: Latch.Latch): Agenda => {
  const placed = (limit: number): Effect.Effect<ReadonlyArray<Placed>, SqlError> =>
    Effect.zipWith(
      sql<DueRow>`
        SELECT id, due_kind, due_at, due_order FROM deliveries WHERE due_at IS NOT NULL
        ORDER BY due_at, due_order LIMIT ${limit}`,
      sql<StepRow>`
        SELECT due_order, at, recording_uuid, status FROM transcript_steps ORDER BY at, due_order LIMIT ${limit}`,
      (deliveries, steps) =>
        [
          ...deliveries.map((row) => ({
            order: row.due_order,
            due: { kind: row.due_kind, at: row.due_at, deliveryId: row.id } as Due
          })),
          ...steps.map((row) => {
            const step = stepOf(row)
            return { order: row.due_order, due: { kind: "transcript" as const, at: step.at, step } }
          })
        ].sort((a, b) => a.due.at - b.due.at || a.order - b.order)
    )

  return {
    next: read(Effect.map(placed(1), ([first]) => first?.due)),
    list: read(Effect.map(placed(Number.MAX_SAFE_INTEGER), (all) => all.map(({ due }) => due))),
    changed: changed.await
  }
}
