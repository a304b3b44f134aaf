import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inspectDeliveries as deliveries, type InspectedDeliveries } from "../sql/inspect/deliveries.ts"
import {
  type ContentRow,
  contentsOf,
  type Inspection,
  inspectWith,
  knownContentsOf
} from "../sql/inspect/Inspection.ts"
import { sqliteJson } from "../sql/inspect/words.ts"
import type { Query } from "../sql/Query.ts"
import { withDatabase } from "./snapshot.ts"

/** What runs on a database that is only read ends at once; what SQLite throws is thrown. */
const read = <A>(file: string, body: (query: Query, database: DatabaseSync) => Effect.Effect<A, SqlError>): A =>
  withDatabase(file, (database) => {
    // From its first statement on, all see the database as it was then.
    database.exec("BEGIN")
    const query: Query = (text, ...parameters) =>
      Effect.sync(() => {
        const statement = database.prepare(text)
        statement.setReturnArrays(true)
        return statement.all(...(parameters as ReadonlyArray<SQLInputValue>)) as never
      })
    return Effect.runSync(body(query, database))
  })

/** Looks through a database; `deep` takes longer. Throws a `DatabaseRefused` for one that cannot be read. */
export const inspectDatabase = (file: string, { deep }: { readonly deep: boolean }): Inspection =>
  read(file, (query, database) =>
    Effect.map(inspectWith(query, sqliteJson), (found) =>
      found.version === found.newestVersion
        ? { ...found, faults: { database: inspectPages(database, deep), ...found.faults } }
        : found
    )
  )

/**
 * The invariants of deliveries: each has ended or has something due, its attempts are numbered within its schedule, what is
 * in hand has an end. Throws a `DatabaseRefused`.
 */
export const inspectDeliveries = (file: string): InspectedDeliveries =>
  read(file, (query) => deliveries(query, sqliteJson))

/** Content that files have, as the database is now. Throws a `DatabaseRefused`. */
export const contentsIn = (file: string): ReadonlyArray<ContentRow> => read(file, contentsOf)

/** Content that any row knows, be it on its way out. Throws a `DatabaseRefused`. */
export const knownContents = (file: string): ReadonlySet<string> => read(file, knownContentsOf)

/** What SQLite itself finds; `deep` compares indexes with their tables too. */
const inspectPages = (database: DatabaseSync, deep: boolean): ReadonlyArray<string> => {
  const found = database
    .prepare(deep ? "PRAGMA integrity_check" : "PRAGMA quick_check")
    .all()
    .flatMap((row) => Object.values(row).map(String))
    .filter((text) => text !== "ok")
  const foreign = database
    .prepare("PRAGMA foreign_key_check")
    .all()
    .map(({ parent, rowid, table }) => `${table} ${rowid}: what it names in ${parent} is not there`)
  return [...found, ...foreign]
}
