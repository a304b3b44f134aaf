import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sequenceOf } from "../postgres/dialect.ts"
import type { ListQuery } from "../postgres/ListQuery.ts"
import { openDatabase as openPostgres, type PostgresOptions } from "../postgres/open.ts"
import { endLeases } from "../sql/endLeases.ts"
import { DatabaseRefused } from "../sql/refusals.ts"
import { openDatabase as openSqlite, type StorageError } from "../sqlite/open.ts"
import { columnList, keyList, quoted, type Row, type Table, TableSum, tablesOf, type Value } from "./tables.ts"

/** A table that was moved, and read again from where it went. */
export interface MovedTable {
  readonly name: string
  readonly rows: number
  /** Of all its rows as PostgreSQL has them; SQLite's gave the same. */
  readonly sha256: string
}

const rowsAtATime = 1_000

/** How many characters of text are written at once, unless one row alone has more. */
const charactersAtATime = 4_000_000

/**
 * Moves all that is in a SQLite file to an empty PostgreSQL database, and reads it again: every table has to have as many
 * rows there, and the same ones. It is one transaction: a move that fails leaves the database as empty as it was. The file
 * stays as it is, brought to this program's version; no server may run on it meanwhile.
 */
export const moveDatabase = (
  file: string,
  options: PostgresOptions
): Effect.Effect<ReadonlyArray<MovedTable>, StorageError> =>
  Effect.gen(function* () {
    // What a stopped server had in hand is nobody's: there will be no other start on this file to see to it.
    yield* endLeases(yield* openSqlite(file))
    const sqlite = yield* reading(file)
    const { database, name } = yield* openPostgres(options)
    return yield* database.fenced(moveInto(database.query as ListQuery, sqlite, { from: file, to: name }))
  }).pipe(
    Effect.catchDefect((defect) => (defect instanceof DatabaseRefused ? Effect.fail(defect) : Effect.die(defect))),
    Effect.scoped
  )

const reading = (file: string): Effect.Effect<DatabaseSync, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file, { readOnly: true })),
    (sqlite) => Effect.sync(() => sqlite.close())
  )

/** Inside a transaction; a refusal is a defect, which takes it back. */
const moveInto = Effect.fnUntraced(function* (
  query: ListQuery,
  sqlite: DatabaseSync,
  { from, to }: { readonly from: string; readonly to: string }
) {
  const refuse = (why: string) => Effect.die(new DatabaseRefused({ file: to, why }))
  if (yield* isUsed(query)) {
    return yield* refuse("it holds something already: make a new database, which no server has run on")
  }
  const tables = tablesOf(sqlite)
  for (const table of tables) yield* copy(query, sqlite, table)
  yield* copyNumbers(query, sqlite)
  const moved: Array<MovedTable> = []
  for (const table of tables) {
    const [there, here] = [yield* sumThere(query, table), sumHere(sqlite, table)]
    if (there.rows !== here.rows || there.sha256 !== here.sha256) {
      return yield* refuse(`${table.name} has not come over as it is in ${from}; nothing was moved`)
    }
    moved.push({ name: table.name, ...there })
  }
  return moved
})

/** Whether a server has run on it: its start notes the key that it was given. */
const isUsed = (query: ListQuery) =>
  Effect.map(
    query<[number]>("SELECT 1 FROM meta WHERE name = 'key_fingerprint' UNION ALL (SELECT 1 FROM accounts LIMIT 1)"),
    (rows) => rows.length > 0
  )

const copy = Effect.fnUntraced(function* (query: ListQuery, sqlite: DatabaseSync, table: Table) {
  const types = table.columns.map(({ type }) => `?::${type}[]`).join(", ")
  const insert = `INSERT INTO ${quoted(table.name)} (${columnList(table)}) SELECT * FROM unnest(${types})`
  // A few tables have a row from the beginning.
  yield* query(`DELETE FROM ${quoted(table.name)}`)
  let waiting: Array<Row> = []
  let characters = 0
  const flush = Effect.suspend(() => {
    const rows = waiting
    waiting = []
    characters = 0
    return query(insert, ...table.columns.map((_, column) => rows.map((row) => row[column] as Value)))
  })
  for (const row of rowsHere(sqlite, table)) {
    waiting.push(row)
    for (const value of row) if (typeof value === "string") characters += value.length
    if (waiting.length === rowsAtATime || characters >= charactersAtATime) yield* flush
  }
  if (waiting.length > 0) yield* flush
})

/** A statement of its own for each table: what is read is never held at once. */
function* rowsHere(sqlite: DatabaseSync, table: Table): Generator<Row> {
  const statement = sqlite.prepare(`SELECT ${columnList(table)} FROM ${quoted(table.name)} ORDER BY ${keyList(table)}`)
  statement.setReturnArrays(true)
  yield* statement.iterate() as Iterable<unknown> as Iterable<Row>
}

const sumHere = (sqlite: DatabaseSync, table: Table) => {
  const sum = new TableSum()
  for (const row of rowsHere(sqlite, table)) sum.add(row)
  return sum.end()
}

const sumThere = Effect.fnUntraced(function* (
  query: ListQuery,
  table: Table
): Effect.fn.Return<ReturnType<TableSum["end"]>, SqlError> {
  const cursor = quoted(`moved_${table.name}`)
  yield* query(
    `DECLARE ${cursor} CURSOR FOR SELECT ${columnList(table)} FROM ${quoted(table.name)} ORDER BY ${keyList(table)}`
  )
  const sum = new TableSum()
  while (true) {
    const rows = yield* query<Row>(`FETCH ${rowsAtATime} FROM ${cursor}`)
    for (const row of rows) sum.add(row)
    if (rows.length < rowsAtATime) break
  }
  yield* query(`CLOSE ${cursor}`)
  return sum.end()
})

/** Numbers that were given are not given again: not those of things that are gone either. */
const copyNumbers = Effect.fnUntraced(function* (query: ListQuery, sqlite: DatabaseSync) {
  const set = (sequence: string, given: unknown) =>
    query("SELECT setval(?::regclass, ?::bigint)", sequence, Number(given))
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
