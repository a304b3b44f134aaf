import type { PgPool } from "@effect/sql-pg"
import { StorageFull } from "@tapedeck/core"
import { Effect, Redacted, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/database/Database.ts"
import { DatabaseRefused, type OtherKey } from "../sql/database/errors.ts"
import { breaksPrograms, type Migration, migrate } from "../sql/database/migrate.ts"
import { migrations as allMigrations } from "../sql/migrations/index.ts"
import { makePostgresDatabase, makePostgresPool, serverClock } from "./client.ts"
import { onWallClock } from "./connection.ts"
import { nameOf, sqlErrorOf } from "./errors.ts"
import { migrationLock } from "./locks.ts"
import { makePeers } from "./peers.ts"
import { checkSessions } from "./pooler.ts"
import { watchPool } from "./poolMetrics.ts"
import { isOtherVersionRunning, nodeName } from "./sessions.ts"
import { createTransactionLock } from "./transactions.ts"

/** Reason why a database cannot be used. The message names the database and what to do. */
export type StorageError = DatabaseRefused | OtherKey

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: Redacted.Redacted
  /** Maximum number of connections, besides the one that listens. Default: 10. */
  readonly connections?: number
  /** The `application_name` of its sessions. Default: a node's. */
  readonly application?: string
  /** Maximum time of a statement and of the wait for a connection, in milliseconds. Default: none; 10,000 for a store. */
  readonly deadlineMs?: number
  /** SQL expression of milliseconds since 1970 that replaces the server's clock in tests of time. */
  readonly clock?: string
}

export interface OpenDatabase {
  readonly database: Database
  readonly pool: PgPool.PgPool
  readonly name: string
}

const minServerVersion = 150_000

const refused = (name: string, { message }: Error): DatabaseRefused =>
  new DatabaseRefused({ file: name, why: message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message })

/** Turns the database's defects into `DatabaseRefused`, at start. */
export const refusing =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseRefused, R> =>
    Effect.catchDefect(effect, (defect) => {
      if (isSqlError(defect)) return Effect.fail(refused(name, defect))
      return defect instanceof StorageFull
        ? Effect.fail(new DatabaseRefused({ file: name, why: "there is no space left for it" }))
        : Effect.die(defect)
    })

/** Checks the server's version and the database's encoding. */
const checkServer = Effect.fnUntraced(function* ({ query }: Database, name: string) {
  const [row] = yield* query<[string, string, string]>(
    "SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding')"
  )
  const [number, version, encoding] = row!
  if (Number(number) < minServerVersion) {
    return yield* new DatabaseRefused({ file: name, why: `it is PostgreSQL ${version}; it has to be 15 or newer` })
  }
  if (encoding !== "UTF8") {
    return yield* new DatabaseRefused({ file: name, why: `its encoding is ${encoding}; make one with ENCODING 'UTF8'` })
  }
})

/**
 * Refuses a migration with which nodes of the version before do not work, while such nodes run: their requests and attempts would
 * fail (docs/adr/0026-neighbouring-versions-on-one-database.md).
 */
const checkNodes = Effect.fnUntraced(function* (
  { database, name }: OpenDatabase,
  migrations: ReadonlyArray<Migration>
) {
  const { query } = database
  const [table] = yield* query<[string | null]>("SELECT to_regclass('migrations')::text")
  if (table![0] === null) return
  const [version] = yield* query<[number | null]>("SELECT max(version) FROM migrations")
  if (!breaksPrograms(Number(version![0]), migrations)) return
  if (!(yield* isOtherVersionRunning(database, migrations.length))) return
  const why = `nodes of another version use it, and cannot work with version ${migrations.length}: stop them first`
  return yield* new DatabaseRefused({ file: name, why })
})

/** Migrates in one process at a time; the others wait, and find nothing to do. */
const migrateAlone = (opened: OpenDatabase, migrations: ReadonlyArray<Migration>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* opened.pool.reserve
      yield* connection.query(`SELECT pg_advisory_lock(${migrationLock})`)
      yield* connection.query(createTransactionLock)
      yield* Effect.ensuring(
        Effect.andThen(checkNodes(opened, migrations), migrate(opened.database, migrations)),
        Effect.ignore(connection.query(`SELECT pg_advisory_unlock(${migrationLock})`))
      )
    })
  )

/** A PostgreSQL database, brought to this program's version (tests pass others' migrations), as long as the scope lasts. */
export const openDatabase = (
  options: PostgresOptions,
  migrations = allMigrations
): Effect.Effect<OpenDatabase, StorageError, Scope.Scope> => {
  const name = nameOf(Redacted.value(options.url))
  return Effect.gen(function* () {
    const opened = yield* makePostgresPool({
      url: options.url,
      // Migrating needs two: one has the lock, the other runs the migrations.
      connections: Math.max(2, options.connections ?? 10),
      application: options.application ?? nodeName(migrations.length)
    })
    yield* onWallClock(Effect.scoped(checkSessions(opened, name)))
    const pool = yield* watchPool(opened)
    const common = { name, clock: options.clock ?? serverClock, peers: yield* makePeers(pool) }
    const database = yield* makePostgresDatabase(pool, common)
    yield* checkServer(database, name)
    const whole = { database, pool, name }
    yield* onWallClock(migrateAlone(whole, migrations))
    const { deadlineMs } = options
    return deadlineMs === undefined
      ? whole
      : { ...whole, database: yield* makePostgresDatabase(pool, { ...common, deadlineMs }) }
  }).pipe(
    Effect.catchTags({
      SqlError: (error: SqlError) => Effect.fail(refused(name, sqlErrorOf(error, name))),
      MigrationRefused: (error) => Effect.fail(refused(name, error))
    }),
    refusing(name)
  )
}
