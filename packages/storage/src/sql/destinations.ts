import type { DestinationRepository } from "@tapedeck/core"
import type { AuditDestination } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { SealedRow } from "./automations.ts"
import type { Database } from "./Database.ts"
import { forEachEager } from "./eager.ts"
import type { Secrets } from "./secrets.ts"

type Sealed = Pick<AuditDestination, "secret" | "previousSecrets" | "headers">

export interface Destinations extends DestinationRepository {
  /** What its row says. */
  readonly opened: (row: SealedRow) => Effect.Effect<AuditDestination>
}

export const makeDestinations = ({ read, sql, write }: Database, secrets: Secrets): Destinations => {
  const opened = ({ document, sealed }: SealedRow): Effect.Effect<AuditDestination> =>
    Effect.mapEager(secrets.openKept<Sealed>(sealed), (known) => ({
      ...(JSON.parse(document) as AuditDestination),
      ...known
    }))

  const all = (rows: Effect.Effect<ReadonlyArray<SealedRow>, SqlError>) =>
    read(Effect.flatMap(rows, (found) => forEachEager(found, opened)))

  return {
    opened,
    byId: (id) =>
      Effect.map(all(sql<SealedRow>`SELECT document, sealed FROM destinations WHERE id = ${id}`), ([one]) => one),
    ofAccount: (accountId) =>
      all(sql<SealedRow>`SELECT document, sealed FROM destinations WHERE account_id = ${accountId} ORDER BY sequence`),
    save: ({ headers, previousSecrets, secret, ...open }) =>
      write(
        Effect.flatMap(
          secrets.seal({ headers, previousSecrets, secret } satisfies Sealed),
          (sealed) => sql`
            INSERT INTO destinations (id, account_id, document, sealed)
            VALUES (${open.id}, ${open.accountId}, ${JSON.stringify(open)}, ${sealed})
            ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, document = excluded.document,
              sealed = excluded.sealed`
        )
      ).pipe(Effect.asVoid),
    remove: (id) => Effect.asVoid(write(sql`DELETE FROM destinations WHERE id = ${id}`))
  }
}
