import type { AutomationRepository, DestinationRepository } from "@tapedeck/core"
import { AuditDestination, Automation } from "@tapedeck/domain"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../database/Database.ts"
import { type DocumentRow, documentsIn, type ReadDocument } from "../database/documents.ts"
import { forEachEager } from "../database/forEachEager.ts"
import type { Secrets } from "../database/secrets.ts"

const { headers, previousSecrets, secret, ...automationFields } = Automation.fields
const { headers: _, previousSecrets: _1, secret: destinationSecret, ...destinationFields } = AuditDestination.fields

type SealedFields = "secret" | "previousSecrets" | "headers"

/** Reads the two documents of a receiver. */
interface Readers<Receiver extends Automation | AuditDestination> {
  readonly open: ReadDocument<Omit<Receiver, SealedFields>>
  readonly sealed: ReadDocument<Pick<Receiver, SealedFields>>
}

const readAutomation: Readers<Automation> = {
  open: documentsIn("automations", Schema.Struct(automationFields)),
  sealed: documentsIn("automations", Schema.Struct({ headers, previousSecrets, secret }))
}

const readDestination: Readers<AuditDestination> = {
  open: documentsIn("destinations", Schema.Struct(destinationFields)),
  sealed: documentsIn("destinations", Schema.Struct({ headers, previousSecrets, secret: destinationSecret }))
}

export interface SealedRow extends DocumentRow {
  readonly sealed: string
}

/** Decodes a receiver's row. */
interface Opened<Receiver> {
  readonly opened: (row: SealedRow) => Effect.Effect<Receiver>
}

export type Automations = AutomationRepository & Opened<Automation>
export type Destinations = DestinationRepository & Opened<AuditDestination>

/** Repository functions that automations and destinations have in common. `insert` writes the columns of a row, or replaces it. */
const receiversIn = <Receiver extends Automation | AuditDestination>(
  { read, sql, write }: Database,
  secrets: Secrets,
  tableName: "automations" | "destinations",
  { open, sealed: readSealed }: Readers<Receiver>,
  insert: (columns: Omit<Receiver, SealedFields>, row: Omit<SealedRow, "id">) => Effect.Effect<unknown, SqlError>
) => {
  const table = sql.literal(tableName)

  /** The two documents have all fields, which TypeScript cannot tell of a type parameter. */
  const opened = ({ document, id, sealed }: SealedRow): Effect.Effect<Receiver> =>
    Effect.mapEager(
      secrets.openCached(sealed, (text) => readSealed(id, text)),
      (fields) => ({ ...open(id, document), ...fields }) as Receiver
    )

  const where = (condition: Fragment) =>
    read(
      Effect.flatMap(
        sql<SealedRow>`SELECT id, document, sealed FROM ${table} WHERE ${condition} ORDER BY sequence`,
        (rows) => forEachEager(rows, opened)
      )
    )

  const save = ({ headers, previousSecrets, secret, ...columns }: Receiver) =>
    Effect.asVoid(
      write(
        Effect.flatMap(secrets.seal({ headers, previousSecrets, secret }), (sealed) =>
          insert(columns, { document: JSON.stringify(columns), sealed })
        )
      )
    )

  return {
    opened,
    where,
    save,
    byId: (id: string) => Effect.map(where(sql`id = ${id}`), ([one]) => one),
    ofAccount: (accountId: number) => where(sql`account_id = ${accountId}`),
    remove: (id: string) => Effect.asVoid(write(sql`DELETE FROM ${table} WHERE id = ${id}`))
  }
}

export const makeAutomations = (database: Database, secrets: Secrets): Automations => {
  const { sql } = database
  const { where, ...automations } = receiversIn(
    database,
    secrets,
    "automations",
    readAutomation,
    ({ accountId, folderId, id }, { document, sealed }) => sql`
      INSERT INTO automations (id, account_id, folder_id, document, sealed)
      VALUES (${id}, ${accountId}, ${folderId}, ${document}, ${sealed})
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, folder_id = excluded.folder_id,
        document = excluded.document, sealed = excluded.sealed`
  )
  return { ...automations, ofFolder: (folderId) => where(sql`folder_id = ${folderId}`) }
}

export const makeDestinations = (database: Database, secrets: Secrets): Destinations => {
  const { sql } = database
  const { where: _, ...destinations } = receiversIn(
    database,
    secrets,
    "destinations",
    readDestination,
    ({ accountId, id }, { document, sealed }) => sql`
      INSERT INTO destinations (id, account_id, document, sealed)
      VALUES (${id}, ${accountId}, ${document}, ${sealed})
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, document = excluded.document,
        sealed = excluded.sealed`
  )
  return destinations
}
