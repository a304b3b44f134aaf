import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StatementSync } from "node:sqlite"
import { Ids, type Store, Vault, wholeStore } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { moveDatabase } from "@tapedeck/storage/move"
import { layerPostgres, migrateDatabase } from "@tapedeck/storage/postgres"
import { anAccount } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted } from "effect"
import { startPostgres, type TestDatabases, unsynced } from "../../src/postgres/index.ts"
import { openSqlite } from "../conformance/sqlite.ts"
import { listenIn } from "../postgres/statements.ts"
import type { BulkOperation } from "./operations.ts"

/** The cost of one run of an operation. */
export interface Cost {
  /** On SQLite statements and the rows that they return or change; on PostgreSQL blocks of tables and indexes that are read. */
  readonly work: number
  /** Statements of the largest transaction; on SQLite also the rows that they return or change. */
  readonly largestTransaction: number
}

/** Runs an operation on a store with that many rows. */
export type Meter = (operation: BulkOperation, rows: number) => Promise<Cost>

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-bulk-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Counts what SQLite runs in this process until it is stopped. */
const countStatements = () => {
  const { all, run } = StatementSync.prototype
  let [work, ofTransaction, largestTransaction] = [0, 0, 0]
  const count = (statement: StatementSync, rows: number) => {
    if (statement.sourceSQL === "SAVEPOINT member") ofTransaction = 0
    work += 1 + rows
    ofTransaction += 1 + rows
    largestTransaction = Math.max(largestTransaction, ofTransaction)
  }
  StatementSync.prototype.all = function (this: StatementSync, ...parameters: never) {
    const rows = all.apply(this, parameters)
    count(this, rows.length)
    return rows
  }
  StatementSync.prototype.run = function (this: StatementSync, ...parameters: never) {
    const changes = run.apply(this, parameters)
    count(this, Number(changes.changes))
    return changes
  }
  return () => {
    Object.assign(StatementSync.prototype, { all, run })
    return { work, largestTransaction }
  }
}

/** The text index takes changes in after their transactions, each half second. A search that reads it does so first. */
const catchUpIndex = ({ recordings }: Store) =>
  recordings.search({ accountId: anAccount(1).id, order: "title" }, null, 1)

export const onSqlite: Meter = (operation, rows) =>
  Effect.gen(function* () {
    const store = yield* openSqlite(yield* directory)
    yield* operation.seed(store, rows)
    yield* catchUpIndex(store)
    const stop = countStatements()
    yield* Effect.ensuring(operation.run(store, rows), Effect.sync(stop))
    return stop()
  }).pipe(Effect.scoped, Effect.runPromise)

const openPostgres = (url: string) =>
  layerPostgres({ url: Redacted.make(url), connections: 2 }).pipe(
    Layer.provide([Vault.layer(Redacted.make(new Uint8Array(32).fill(7))), Ids.layerRandom, FileBytes.layerMemory]),
    Layer.build,
    Effect.flatMap((context) => Effect.provideContext(wholeStore, context)),
    Effect.orDie
  )

/** A session reports what it has read when it ends. */
const blocksRead = `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend') AS others,
    sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::bigint AS blocks FROM pg_statio_user_tables`

const statementsOfLargest = (executed: ReadonlyArray<string>) => {
  let [largest, statements] = [0, 0]
  for (const text of executed) {
    statements = text.startsWith("BEGIN") || text === "COMMIT" ? 0 : statements + 1
    largest = Math.max(largest, statements)
  }
  return largest
}

/** Counts what a run costs on an empty database, after it was seeded. */
const costOn = async (
  postgres: TestDatabases,
  seed: (url: string) => Promise<unknown>,
  run: (url: string) => Promise<unknown>
): Promise<Cost> => {
  const database = await postgres.createDatabase()
  const listening = await listenIn(database.url)
  const blocks = async () => {
    for (;;) {
      const [row] = await database.query(blocksRead)
      if (Number(row!.others) === 0) return Number(row!.blocks)
    }
  }
  try {
    await seed(listening.url)
    const before = await blocks()
    listening.executed.length = 0
    await run(listening.url)
    return { work: (await blocks()) - before, largestTransaction: statementsOfLargest(listening.executed) }
  } finally {
    listening.close()
    await database.drop()
  }
}

const withStore = (url: string, use: (store: Store) => Effect.Effect<unknown>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(openPostgres(url), use)))

const meterOn =
  (postgres: TestDatabases): Meter =>
  (operation, rows) =>
    costOn(
      postgres,
      (url) => withStore(url, (store) => operation.seed(store, rows)),
      (url) => withStore(url, (store) => operation.run(store, rows))
    )

/** The move of a SQLite file, which `seed` fills, to PostgreSQL. */
const moveOn =
  (postgres: TestDatabases) =>
  async (seed: (store: Store) => Effect.Effect<unknown>): Promise<Cost> => {
    const place = mkdtempSync(join(tmpdir(), "tapedeck-bulk-"))
    try {
      await Effect.runPromise(Effect.scoped(Effect.flatMap(openSqlite(place), seed)))
      return await costOn(
        postgres,
        (url) => Effect.runPromise(migrateDatabase({ url: Redacted.make(url) })),
        (url) => Effect.runPromise(moveDatabase(join(place, "tapedeck.db"), { url: Redacted.make(url) }, Effect.void))
      )
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }

/** A server without autovacuum, which reads blocks too. */
export const makePostgresMeters = async () => {
  const postgres = await startPostgres({ ...unsynced, autovacuum: "off" })
  return { onPostgres: meterOn(postgres), ofMove: moveOn(postgres), close: postgres.close }
}
