import type { RedeliveryRepository } from "@tapedeck/core"
import { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { allOf, type DocumentRow, documentsIn, firstOf } from "../database/documents.ts"

const readJob = documentsIn("redeliveries", Redelivery)

export interface RedeliveryParts {
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Wakes what waits for the agenda after the transaction's commit. */
  readonly agendaChanged: Effect.Effect<void>
}

/** Jobs that deliver again by a filter; `next_at` is null in one that has ended. */
export const makeRedeliveries = (
  { now: storeNow, read, sql, write }: Database,
  { agendaChanged, agendaOrder }: RedeliveryParts
): RedeliveryRepository => {
  const save = Effect.fnUntraced(function* (job: Redelivery) {
    const nextAt = job.state._tag === "Running" ? job.state.dueAt : null
    const order = nextAt === null ? null : yield* Effect.andThen(agendaChanged, agendaOrder)
    yield* sql`
      INSERT INTO redeliveries (id, account_id, next_at, due_order, document)
      VALUES (${job.id}, ${job.accountId}, ${nextAt}, ${order}, ${JSON.stringify(job)})
      ON CONFLICT (id) DO UPDATE SET next_at = excluded.next_at, due_order = excluded.due_order,
        document = excluded.document`
  })

  return {
    byId: (id) => read(firstOf(readJob, sql<DocumentRow>`SELECT id, document FROM redeliveries WHERE id = ${id}`)),
    ofAccount: (accountId) =>
      read(
        allOf(
          readJob,
          sql<DocumentRow>`
          SELECT id, document FROM redeliveries WHERE account_id = ${accountId} ORDER BY sequence DESC`
        )
      ),
    due: Effect.flatMap(storeNow, (at) =>
      read(
        firstOf(
          readJob,
          sql<DocumentRow>`
          SELECT id, document FROM redeliveries WHERE next_at <= ${at} ORDER BY next_at, due_order LIMIT 1`
        )
      )
    ),
    save: (job) => write(save(job)),
    remove: (id) => Effect.asVoid(write(sql`DELETE FROM redeliveries WHERE id = ${id}`))
  }
}
