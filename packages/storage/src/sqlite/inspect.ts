import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sqliteDialect } from "../sql/database/dialect.ts"
import type { Query } from "../sql/database/statements.ts"
import { inspectDeliveries as deliveries, type InspectedDeliveries } from "../sql/inspect/deliveries.ts"
import {
  type ContentRow,
  contentsOf,
  type Inspection,
  inspectWith,
  knownContentsOf
} from "../sql/inspect/Inspection.ts"
import { withDatabase } from "./snapshot.ts"

/** Runs synchronously, in a read transaction. Throws what SQLite throws. */
const read = <A>(file: string, body: (query: Query, database: DatabaseSync) => Effect.Effect<A, SqlError>): A =>
  withDatabase(file, (database) => {
    // All statements see the same snapshot.
    database.exec("BEGIN")
    const query: Query = (text, ...parameters) =>
      Effect.sync(() => {
        const statement = database.prepare(text)
        statement.setReturnArrays(true)
        return statement.all(...(parameters as ReadonlyArray<SQLInputValue>)) as never
      })
    return Effect.runSync(body(query, database))
  })

/** Inspects a database; `deep` takes longer. Throws `DatabaseRefused` if it cannot be read. */
export const inspectDatabase = (file: string, { deep }: { readonly deep: boolean }): Inspection =>
  read(file, (query, database) =>
    Effect.map(inspectWith(query, sqliteDialect.json), (found) =>
      found.version === found.newestVersion
        ? { ...found, faults: { database: inspectPages(database, deep), ...found.faults } }
        : found
    )
  )

/**
 * Checks the invariants of deliveries: each has ended or is queued, its attempts are numbered within its schedule, and a delivery
 * in flight has a lease. Throws `DatabaseRefused`.
 */
export const inspectDeliveries = (file: string): InspectedDeliveries =>
  read(file, (query) => deliveries(query, sqliteDialect.json))

/** Content that files refer to. Throws `DatabaseRefused`. */
export const contentsIn = (file: string): ReadonlyArray<ContentRow> => read(file, contentsOf)

/** All content that has a row, used or not. Throws `DatabaseRefused`. */
export const knownContents = (file: string): ReadonlySet<string> => read(file, knownContentsOf)

/** SQLite's own checks; `deep` also compares indexes with their tables. */
const inspectPages = (database: DatabaseSync, deep: boolean): ReadonlyArray<string> => {
  const found = database
    .prepare(deep ? "PRAGMA integrity_check" : "PRAGMA quick_check")
    .all()
    .flatMap((row) => Object.values(row).map(String))
    .filter((text) => text !== "ok")
  const foreign = database
    .prepare("PRAGMA foreign_key_check")
    .all()
    .map(({ parent, rowid, table }) => `${table} ${rowid}: its row in ${parent} does not exist`)
  return [...found, ...foreign]
}
