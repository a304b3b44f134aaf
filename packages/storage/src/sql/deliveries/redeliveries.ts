import type { RedeliveryRepository } from "@tapedeck/core"
import { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { allOf, type DocumentRow, documentsIn, firstOf } from "../database/documents.ts"

const readRedelivery = documentsIn("redeliveries", Redelivery)

export const makeRedeliveries = ({ read, sql, write }: Database): RedeliveryRepository => ({
  byId: (id) => read(firstOf(readRedelivery, sql<DocumentRow>`SELECT id, document FROM redeliveries WHERE id = ${id}`)),
  ofAccount: (accountId) =>
    read(
      allOf(
        readRedelivery,
        sql<DocumentRow>`
          SELECT id, document FROM redeliveries WHERE account_id = ${accountId} ORDER BY sequence DESC`
      )
    ),
  save: (redelivery) =>
    write(sql`
        INSERT INTO redeliveries (id, account_id, document)
        VALUES (${redelivery.id}, ${redelivery.accountId}, ${JSON.stringify(redelivery)})
        ON CONFLICT (id) DO UPDATE SET document = excluded.document`).pipe(Effect.asVoid),
  remove: (id) => Effect.asVoid(write(sql`DELETE FROM redeliveries WHERE id = ${id}`))
})
