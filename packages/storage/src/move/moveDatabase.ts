import { DatabaseSync } from "node:sqlite"
import { Effect, Redacted, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { ListQuery } from "../postgres/connection.ts"
import { sequenceOf } from "../postgres/dialect.ts"
import { nameOf, sqlErrorOf } from "../postgres/errors.ts"
import { openDatabase as openPostgres, type PostgresOptions, refusing } from "../postgres/open.ts"
import { DatabaseRefused } from "../sql/database/errors.ts"
import { endLeases } from "../sqlite/deliveries/leases.ts"
import { openDatabase as openSqlite, type StorageError } from "../sqlite/open.ts"
import { columnList, keyList, quoted, type Row, type Table, TableSum, tablesOf, type Value } from "./tables.ts"

/** A table that was moved and read again. */
export interface MovedTable {
  readonly name: string
  readonly rows: number
  /** The checksum of its rows in PostgreSQL, which equals that of SQLite's. */
  readonly sha256: string
}

const batchRows = 1_000

/** Maximum characters of text in a batch of several rows. */
const batchCharacters = 4_000_000

/**
 * Copies all tables of a SQLite file to an empty PostgreSQL database, and compares the rows there with those in the file. It is one
 * transaction: a move that fails leaves the database empty. The file is migrated to this program's version and stays; no server may
 * use it meanwhile. `before` copies what belongs to the rows, once it is known that both databases can be used.
 */
export const moveDatabase = <A, E>(
  file: string,
  options: PostgresOptions,
  before: Effect.Effect<A, E>
): Effect.Effect<{ readonly tables: ReadonlyArray<MovedTable>; readonly before: A }, StorageError | E> => {
  const name = nameOf(Redacted.value(options.url))
  return Effect.gen(function* () {
    // The stopped server's leases: no other start on this file would end them.
    yield* endLeases(yield* openSqlite(file))
    const sqlite = yield* reading(file)
    const { database } = yield* openPostgres(options)
    const query = database.query as ListQuery
    const moved = Effect.gen(function* () {
      yield* refuseUsed(query, name)
      const done = yield* before
      const tables = yield* database.readCommitted(
        Effect.catchTag(moveInto(query, sqlite, { from: file, to: name }), "SqlError", Effect.die)
      )
      return { tables, before: done }
    })
    return yield* refusing(name)(Effect.catchIf(moved, isSqlError, (error) => Effect.die(sqlErrorOf(error, name))))
  }).pipe(
    Effect.catchDefect((defect) => (defect instanceof DatabaseRefused ? Effect.fail(defect) : Effect.die(defect))),
    Effect.scoped
  )
}

const reading = (file: string): Effect.Effect<DatabaseSync, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file, { readOnly: true })),
    (sqlite) => Effect.sync(() => sqlite.close())
  )

/** Copies the rows. Belongs inside a transaction: a refusal is a defect, which rolls it back. */
const moveInto = Effect.fnUntraced(function* (
  query: ListQuery,
  sqlite: DatabaseSync,
  { from, to }: { readonly from: string; readonly to: string }
) {
  yield* refuseUsed(query, to)
  const tables = tablesOf(sqlite)
  for (const table of tables) yield* copy(query, sqlite, table)
  yield* copyNumbers(query, sqlite)
  const moved: Array<MovedTable> = []
  for (const table of tables) {
    const [copied, original] = [yield* postgresSum(query, table), sqliteSum(sqlite, table)]
    if (copied.rows !== original.rows || copied.sha256 !== original.sha256) {
      const why = `${table.name} differs from the table in ${from}; nothing was moved`
      return yield* Effect.die(new DatabaseRefused({ file: to, why }))
    }
    moved.push({ name: table.name, ...copied })
  }
  return moved
})

/** Returns whether a server has used the database: its start stores the key's fingerprint. */
const isUsed = (query: ListQuery) =>
  Effect.map(
    query<[number]>("SELECT 1 FROM meta WHERE name = 'key_fingerprint' UNION ALL (SELECT 1 FROM accounts LIMIT 1)"),
    (rows) => rows.length > 0
  )

const refuseUsed = Effect.fnUntraced(function* (query: ListQuery, file: string) {
  if (!(yield* isUsed(query))) return
  const why = "it is not empty: create a new database, which no server has used"
  return yield* Effect.die(new DatabaseRefused({ file, why }))
})

const copy = Effect.fnUntraced(function* (query: ListQuery, sqlite: DatabaseSync, table: Table) {
  const types = table.columns.map(({ type }) => `?::${type}[]`).join(", ")
  const insert = `INSERT INTO ${quoted(table.name)} (${columnList(table)}) SELECT * FROM unnest(${types})`
  // The migration inserts rows into some tables.
  yield* query(`DELETE FROM ${quoted(table.name)}`)
  let batch: Array<Row> = []
  let characters = 0
  const flush = Effect.suspend(() => {
    const rows = batch
    batch = []
    characters = 0
    return query(insert, ...table.columns.map((_, column) => rows.map((row) => row[column] as Value)))
  })
  for (const row of sqliteRows(sqlite, table)) {
    batch.push(row)
    for (const value of row) if (typeof value === "string") characters += value.length
    if (batch.length === batchRows || characters >= batchCharacters) yield* flush
  }
  if (batch.length > 0) yield* flush
})

/** Iterates over a table's rows without reading all of them into memory. */
function* sqliteRows(sqlite: DatabaseSync, table: Table): Generator<Row> {
  const statement = sqlite.prepare(`SELECT ${columnList(table)} FROM ${quoted(table.name)} ORDER BY ${keyList(table)}`)
  statement.setReturnArrays(true)
  yield* statement.iterate() as Iterable<unknown> as Iterable<Row>
}

const sqliteSum = (sqlite: DatabaseSync, table: Table) => {
  const sum = new TableSum()
  for (const row of sqliteRows(sqlite, table)) sum.add(row)
  return sum.end()
}

const postgresSum = Effect.fnUntraced(function* (
  query: ListQuery,
  table: Table
): Effect.fn.Return<ReturnType<TableSum["end"]>, SqlError> {
  const cursor = quoted(`copied${table.name}`)
  yield* query(
    `DECLARE ${cursor} CURSOR FOR SELECT ${columnList(table)} FROM ${quoted(table.name)} ORDER BY ${keyList(table)}`
  )
  const sum = new TableSum()
  while (true) {
    const rows = yield* query<Row>(`FETCH ${batchRows} FROM ${cursor}`)
    for (const row of rows) sum.add(row)
    if (rows.length < batchRows) break
  }
  yield* query(`CLOSE ${cursor}`)
  return sum.end()
})

/** Continues the numbering, so that no number is given again, even of removed rows. */
const copyNumbers = Effect.fnUntraced(function* (query: ListQuery, sqlite: DatabaseSync) {
  const set = (sequence: string, last: unknown) =>
    query("SELECT setval(?::regclass, ?::bigint)", sequence, Number(last))
  for (const { kind, value } of sqlite.prepare("SELECT kind, value FROM counters WHERE value > 0").all()) {
    yield* set(sequenceOf(String(kind)), value)
  }
  for (const { name, seq } of sqlite.prepare("SELECT name, seq FROM sqlite_sequence WHERE seq > 0").all()) {
    const [row] = yield* query<[string]>(
      `SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ? AND is_identity = 'YES'`,
      String(name)
    )
    yield* set(row![0], seq)
  }
})
