import type { AutomationRepository } from "@tapedeck/core"
import type { Automation } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import type { DocumentRow } from "./documents.ts"
import { forEachEager } from "./eager.ts"
import type { Secrets } from "./secrets.ts"

type Sealed = Pick<Automation, "secret" | "previousSecrets" | "headers">

export interface SealedRow extends DocumentRow {
  readonly sealed: string
}

export interface Automations extends AutomationRepository {
  /** What its row says. */
  readonly opened: (row: SealedRow) => Effect.Effect<Automation>
}

export const makeAutomations = ({ read, sql, write }: Database, secrets: Secrets): Automations => {
  const opened = ({ document, sealed }: SealedRow): Effect.Effect<Automation> =>
    Effect.mapEager(secrets.openKept<Sealed>(sealed), (known) => ({
      ...(JSON.parse(document) as Automation),
      ...known
    }))

  const all = (rows: Effect.Effect<ReadonlyArray<SealedRow>, SqlError>) =>
    read(Effect.flatMap(rows, (found) => forEachEager(found, opened)))

  return {
    opened,
    byId: (id) =>
      Effect.map(all(sql<SealedRow>`SELECT document, sealed FROM automations WHERE id = ${id}`), ([one]) => one),
    ofFolder: (folderId) =>
      all(sql<SealedRow>`SELECT document, sealed FROM automations WHERE folder_id = ${folderId} ORDER BY sequence`),
    ofAccount: (accountId) =>
      all(sql<SealedRow>`SELECT document, sealed FROM automations WHERE account_id = ${accountId} ORDER BY sequence`),
    save: ({ headers, previousSecrets, secret, ...open }) =>
      write(
        Effect.flatMap(
          secrets.seal({ headers, previousSecrets, secret } satisfies Sealed),
          (sealed) => sql`
            INSERT INTO automations (id, account_id, folder_id, document, sealed)
            VALUES (${open.id}, ${open.accountId}, ${open.folderId}, ${JSON.stringify(open)}, ${sealed})
            ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, folder_id = excluded.folder_id,
              document = excluded.document, sealed = excluded.sealed`
        )
      ).pipe(Effect.asVoid),
    remove: (id) => Effect.asVoid(write(sql`DELETE FROM automations WHERE id = ${id}`))
  }
}
