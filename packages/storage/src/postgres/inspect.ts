import type { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseRefused } from "../sql/database/errors.ts"
import { breaksPrograms, type Migration, worksOn } from "../sql/database/migrate.ts"
import type { Query } from "../sql/database/statements.ts"
import { type InspectedDeliveries, inspectDeliveries } from "../sql/inspect/deliveries.ts"
import {
  type ContentRow,
  contentsOf,
  type Inspection,
  inspectWith,
  knownContentsOf
} from "../sql/inspect/Inspection.ts"
import { migrations as allMigrations } from "../sql/migrations/index.ts"
import { makePostgresPool, serverClock } from "./client.ts"
import { numbered, onWallClock, valuesOf } from "./connection.ts"
import { postgresDialect } from "./dialect.ts"
import { nameOf, sqlErrorOf } from "./errors.ts"
import type { StorageError } from "./open.ts"
import { commandName } from "./sessions.ts"

/** Runs on one connection in a read transaction, whose statements see the same snapshot and lock nothing. */
const reading = <A, E>(connection: PgConnection.PgConnection, body: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    return yield* Effect.ensuring(body, Effect.ignore(connection.query("ROLLBACK")))
  })

/** Reads a database without migrating it. */
const read = <A>(
  url: Redacted.Redacted,
  body: (query: Query) => Effect.Effect<A, SqlError>
): Effect.Effect<A, StorageError> => {
  const name = nameOf(Redacted.value(url))
  return Effect.gen(function* () {
    const pool = yield* makePostgresPool({ url, application: commandName, connections: 1, wholeTables: true })
    const connection = yield* pool.reserve
    return yield* reading(
      connection,
      body((text, ...parameters) => valuesOf(connection, numbered(text), parameters))
    )
  }).pipe(
    Effect.scoped,
    onWallClock,
    Effect.mapError(
      (error) =>
        new DatabaseRefused({
          file: name,
          why: isMissing(error) ? noDatabase : reasonIn(sqlErrorOf(error, name), name)
        })
    )
  )
}

const undefinedTable = "42P01"
const noDatabase = "it is not a database of Tapedeck"

const isMissing = ({ reason: { cause } }: SqlError): boolean =>
  (cause as { readonly code?: string } | undefined)?.code === undefinedTable

const reasonIn = ({ message }: SqlError, name: string): string =>
  message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message

/** Inspects a database and reads its clock, in milliseconds since 1970. */
export const inspectPostgres = (
  url: Redacted.Redacted
): Effect.Effect<Inspection & { readonly now: number }, StorageError> =>
  read(url, (query) =>
    Effect.gen(function* () {
      const found = yield* inspectWith(query, postgresDialect.json)
      const [row] = yield* query<[number]>(`SELECT ${serverClock}`)
      return { ...found, now: row![0] }
    })
  )

/** Checks the invariants of deliveries, as on SQLite. */
export const inspectPostgresDeliveries = (url: Redacted.Redacted): Effect.Effect<InspectedDeliveries, StorageError> =>
  read(url, (query) => inspectDeliveries(query, postgresDialect.json))

/** Content that files refer to. */
export const postgresContents = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<ContentRow>, StorageError> =>
  read(url, contentsOf)

/** All content that has a row, used or not. */
export const postgresKnownContents = (url: Redacted.Redacted): Effect.Effect<ReadonlySet<string>, StorageError> =>
  read(url, knownContentsOf)

/** A database before an upgrade. */
export interface PostgresVersion {
  readonly name: string
  readonly version: number
  /** Newest version that this program knows. */
  readonly newest: number
  /** True if this program and nodes of the database's version cannot work at the same time. */
  readonly needsFullStop: boolean
}

/** Returns the effect that a start of this program would have on a database, without changing it. Tests pass other migrations. */
export const postgresVersion = (
  url: Redacted.Redacted,
  migrations: ReadonlyArray<Migration> = allMigrations
): Effect.Effect<PostgresVersion, StorageError> =>
  read(url, (query) =>
    Effect.gen(function* () {
      const [row] = yield* query<[number | null]>("SELECT max(version) FROM migrations")
      const [stored] = yield* query<[string]>("SELECT value FROM meta WHERE name = 'works_from'")
      const [version, newest] = [Number(row?.[0] ?? 0), migrations.length]
      const needsFullStop =
        version > newest ? !worksOn(stored?.[0], version, newest) : breaksPrograms(version, migrations)
      return { name: nameOf(Redacted.value(url)), version, newest, needsFullStop }
    })
  )
