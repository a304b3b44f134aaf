import type { AccountRepository } from "@tapedeck/core"
import type { Account } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Counters } from "./counters.ts"
import type { Database } from "./Database.ts"
import { allOf, type DocumentRow, firstOf } from "./documents.ts"

export const makeAccounts = ({ read, sql, write }: Database, counters: Counters): AccountRepository => ({
  byId: (id) => read(firstOf<Account>(sql<DocumentRow>`SELECT document FROM accounts WHERE id = ${id}`)),
  list: read(allOf<Account>(sql<DocumentRow>`SELECT document FROM accounts ORDER BY id`)),
  save: (account) =>
    write(
      Effect.andThen(
        sql`INSERT INTO accounts (id, document) VALUES (${account.id}, ${JSON.stringify(account)})
          ON CONFLICT (id) DO UPDATE SET document = excluded.document`,
        counters.from("account", account.id)
      )
    ).pipe(Effect.asVoid)
})
