import type { PgPool } from "@effect/sql-pg"
import { StorageFull } from "@tapedeck/core"
import { Effect, Redacted, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/Database.ts"
import { migrate, stopsPrograms } from "../sql/migrate.ts"
import { migrations } from "../sql/migrations/index.ts"
import { DatabaseRefused, type OtherKey } from "../sql/refusals.ts"
import { nodeName, otherVersionAtWork } from "./atWork.ts"
import { makePostgresDatabase, serverClock } from "./client.ts"
import { onWallClock } from "./connection.ts"
import { migrationLock } from "./locks.ts"
import { nameOf, sqlErrorOf } from "./trouble.ts"

/** Why a database cannot be used; the message names it and says what to do. */
export type StorageError = DatabaseRefused | OtherKey

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: Redacted.Redacted
  /** How many connections at most, besides the one that listens; 10 where nothing is said. */
  readonly connections?: number
  /** What its sessions are called in `pg_stat_activity`; as a node's where nothing is said. */
  readonly application?: string
  /** For tests of time: an SQL expression of milliseconds since 1970 instead of the server's clock. */
  readonly clock?: string
}

export interface OpenDatabase {
  readonly database: Database
  readonly pool: PgPool.PgPool
  readonly name: string
}

const oldest = 150_000

const refused = (name: string, { message }: Error): DatabaseRefused =>
  new DatabaseRefused({ file: name, why: message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message })

/** At the start, what the database refuses is a reason not to start, and no defect. */
export const refusing =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseRefused, R> =>
    Effect.catchDefect(effect, (defect) => {
      if (isSqlError(defect)) return Effect.fail(refused(name, defect))
      return defect instanceof StorageFull
        ? Effect.fail(new DatabaseRefused({ file: name, why: "there is no space left for it" }))
        : Effect.die(defect)
    })

/** What a database has to be; everything else is for migrations. */
const checkServer = Effect.fnUntraced(function* ({ query }: Database, name: string) {
  const [row] = yield* query<[string, string, string]>(
    "SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding')"
  )
  const [number, version, encoding] = row!
  if (Number(number) < oldest) {
    return yield* new DatabaseRefused({ file: name, why: `it is PostgreSQL ${version}; it has to be 15 or newer` })
  }
  if (encoding !== "UTF8") {
    return yield* new DatabaseRefused({ file: name, why: `its encoding is ${encoding}; make one with ENCODING 'UTF8'` })
  }
})

/**
 * Where programs of the version before would not find their way any more, they are to be stopped first: each request and each
 * attempt of theirs would fail from then on (docs/adr/0026-neighbouring-versions-on-one-database.md).
 */
const checkOthers = Effect.fnUntraced(function* (database: Database, name: string) {
  const { query } = database
  const [table] = yield* query<[string | null]>("SELECT to_regclass('migrations')::text")
  if (table![0] === null) return
  const [version] = yield* query<[number | null]>("SELECT max(version) FROM migrations")
  if (!stopsPrograms(Number(version![0]), migrations)) return
  if (!(yield* otherVersionAtWork(database))) return
  const why = `nodes of another version are at work on it, and cannot go on with version ${migrations.length}: stop them first`
  return yield* new DatabaseRefused({ file: name, why })
})

/** One process at a time brings the database to this version; whoever waited finds it done. */
const migrateAlone = ({ database, name, pool }: OpenDatabase) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* pool.reserve
      yield* connection.query(`SELECT pg_advisory_lock(${migrationLock})`)
      yield* Effect.ensuring(
        Effect.andThen(checkOthers(database, name), migrate(database, migrations)),
        Effect.ignore(connection.query(`SELECT pg_advisory_unlock(${migrationLock})`))
      )
    })
  )

/** A PostgreSQL database, brought to this program's version, as long as the scope lasts. */
export const openDatabase = (options: PostgresOptions): Effect.Effect<OpenDatabase, StorageError, Scope.Scope> => {
  const name = nameOf(Redacted.value(options.url))
  return Effect.gen(function* () {
    const { database, pool } = yield* makePostgresDatabase({
      url: options.url,
      name,
      // One of them waits for its turn to migrate, and another does it.
      connections: Math.max(2, options.connections ?? 10),
      application: options.application ?? nodeName,
      clock: options.clock ?? serverClock
    })
    yield* checkServer(database, name)
    const opened = { database, pool, name }
    yield* onWallClock(migrateAlone(opened))
    return opened
  }).pipe(
    Effect.catchTags({
      SqlError: (error: SqlError) => Effect.fail(refused(name, sqlErrorOf(error, name))),
      MigrationRefused: (error) => Effect.fail(refused(name, error))
    }),
    refusing(name)
  )
}
