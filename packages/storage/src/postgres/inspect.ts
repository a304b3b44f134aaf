import type { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type InspectedDeliveries, inspectDeliveries } from "../sql/inspect/deliveries.ts"
import {
  type ContentRow,
  contentsOf,
  type Inspection,
  inspectWith,
  knownContentsOf
} from "../sql/inspect/Inspection.ts"
import { postgresJson } from "../sql/inspect/words.ts"
import type { Query } from "../sql/Query.ts"
import { DatabaseRefused } from "../sql/refusals.ts"
import { commandName } from "./atWork.ts"
import { makePostgresDatabase, serverClock } from "./client.ts"
import { onWallClock, valuesOf } from "./connection.ts"
import type { StorageError } from "./open.ts"
import { numbered } from "./placeholders.ts"
import { nameOf, sqlErrorOf } from "./trouble.ts"

/** Asks one connection, whose transaction sees the database as it was at its first statement and is in nobody's way. */
const reading = <A, E>(connection: PgConnection.PgConnection, body: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    return yield* Effect.ensuring(body, Effect.ignore(connection.query("ROLLBACK")))
  })

/** Reads a database as it is, without bringing it to this program's version. */
const read = <A>(
  url: Redacted.Redacted,
  body: (query: Query) => Effect.Effect<A, SqlError>
): Effect.Effect<A, StorageError> => {
  const name = nameOf(Redacted.value(url))
  return Effect.gen(function* () {
    const { pool } = yield* makePostgresDatabase({
      url,
      name,
      application: commandName,
      connections: 1,
      clock: serverClock,
      wholeTables: true
    })
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
        new DatabaseRefused({ file: name, why: isMissing(error) ? noDatabase : wordsOf(sqlErrorOf(error, name), name) })
    )
  )
}

const undefinedTable = "42P01"
const noDatabase = "there is no database of Tapedeck's in it"

const isMissing = ({ reason: { cause } }: SqlError): boolean =>
  (cause as { readonly code?: string } | undefined)?.code === undefinedTable

const wordsOf = ({ message }: SqlError, name: string): string =>
  message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message

/** Looks through a database, and asks for its clock: milliseconds since 1970. */
export const inspectPostgres = (
  url: Redacted.Redacted
): Effect.Effect<Inspection & { readonly now: number }, StorageError> =>
  read(url, (query) =>
    Effect.gen(function* () {
      const found = yield* inspectWith(query, postgresJson)
      const [row] = yield* query<[number]>(`SELECT ${serverClock}`)
      return { ...found, now: row![0] }
    })
  )

/** The invariants of deliveries, as on SQLite. */
export const inspectPostgresDeliveries = (url: Redacted.Redacted): Effect.Effect<InspectedDeliveries, StorageError> =>
  read(url, (query) => inspectDeliveries(query, postgresJson))

/** Content that files have, as the database is now. */
export const postgresContents = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<ContentRow>, StorageError> =>
  read(url, contentsOf)

/** Content that any row knows, be it on its way out. */
export const postgresKnownContents = (url: Redacted.Redacted): Effect.Effect<ReadonlySet<string>, StorageError> =>
  read(url, knownContentsOf)
