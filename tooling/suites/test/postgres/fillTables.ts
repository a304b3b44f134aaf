import type { Store } from "@tapedeck/core"
import { AccountId } from "@tapedeck/domain"
import { Effect } from "effect"
import type { TestDatabase } from "../../src/postgres/index.ts"

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly optional: boolean
  /** Part of a key or of a unique index. */
  readonly unique: boolean
  /** Of such of its own. */
  readonly alone: boolean
}

/** Those that have one row, or none. */
const small = new Set([
  "migrations",
  "meta",
  "recording_revisions",
  "recording_sync",
  "transaction_lock",
  "counters",
  "test_clock"
])

const columnsOf = `
  SELECT c.table_name AS table, c.column_name AS name, c.data_type AS type, c.is_nullable = 'YES' AS optional,
    coalesce(least, 0) > 0 AS unique, coalesce(least, 0) = 1 AS alone
  FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  LEFT JOIN LATERAL (SELECT min(i.indnkeyatts) AS least FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indisunique AND i.indrelid = c.table_name::regclass AND a.attname = c.column_name) u ON true
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
  ORDER BY c.table_name = 'files', c.table_name, c.ordinal_position`

/** What there are few of. */
const few = new Set([
  "platform",
  "state",
  "kind",
  "event_type",
  "status",
  "retry",
  "active_admin",
  "due_kind",
  "purpose"
])

/** Of `n`: nine of ten rows are one account's, and the others those of a thousand more. */
const valueOf = ({ alone, name, optional, table, type, unique }: Column): string => {
  // It is read.
  if (table === "recordings" && name === "document") return "(SELECT document FROM recordings LIMIT 1)"
  if (alone && type !== "text") return "n"
  if (name === "account_id" || name === "list_id") return "CASE WHEN n % 10 = 0 THEN 1000000 + n / 10 % 1000 ELSE 1 END"
  if (name === "refs") return "1"
  if (name === "document" || name === "body" || name === "state_document")
    return "json_build_object('text', repeat('x', 300))::text"
  const number = few.has(name) ? "n % 4" : unique || name.endsWith("_at") || name === "sha256" ? "n" : "n % 3000"
  const value = type === "text" ? `'${name} ' || ${number}` : number
  return optional && !unique && name !== "sha256" ? `CASE WHEN n % 3 > 0 THEN ${value} END` : value
}

/**
 * Puts so many invented rows into each table: enough for PostgreSQL to plan as it would with a million. A few rows may have the key of a
 * row that is there: the numbers of transactions are those of all databases of the server.
 */
export const fillTables = async (database: TestDatabase, rows: number): Promise<void> => {
  const columns = (await database.query(columnsOf)) as ReadonlyArray<unknown> as ReadonlyArray<Column>
  const tables = [...new Set(columns.map(({ table }) => table))].filter((table) => !small.has(table))
  for (const table of tables) {
    const own = columns.filter((column) => column.table === table)
    const names = own.map(({ name }) => `"${name}"`).join(", ")
    const values = own.map(valueOf).join(", ")
    const [filled] = await database.query(`
      WITH inserted AS (
        INSERT INTO ${table} (${names}) SELECT ${values} FROM generate_series(1001, ${1000 + rows}) n
        ON CONFLICT DO NOTHING RETURNING 1)
      SELECT count(*)::int AS count FROM inserted`)
    if (Number(filled!.count) < rows * 0.9)
      throw new Error(`${table} got ${filled!.count} rows of ${rows}: the others have a key twice`)
  }
}

/** Counts the account's recordings, in blocks of 100. */
export const listRecordings = (database: TestDatabase) =>
  database.query(`
    UPDATE recording_lists SET count = (SELECT count(*) FROM recordings WHERE account_id = 1) WHERE key = 'account:1';
    DELETE FROM recording_blocks WHERE list_id = (SELECT id FROM recording_lists WHERE key = 'account:1');
    INSERT INTO recording_blocks (list_id, from_at, from_id, count)
      SELECT l.id, created_at, r.id, 100
      FROM (SELECT *, row_number() OVER (ORDER BY created_at, id) AS place FROM recordings WHERE account_id = 1) r,
        recording_lists l
      WHERE place % 100 = 1 AND key = 'account:1'`)

/** Far from both ends of the account's list: nearer to the newer one, and to the older one. */
export const farPages = (store: Store) =>
  Effect.forEach([2_100, 2_300], (offset) =>
    store.recordings.page({ accountId: AccountId.make(1) }, { offset, limit: 25 })
  )
