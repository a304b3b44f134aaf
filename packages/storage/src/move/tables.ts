import { createHash, type Hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

/** A table. Both databases have the same tables, made by the same migrations. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  /** The primary key's columns, in its order. */
  readonly key: ReadonlyArray<string>
}

interface Column {
  readonly name: string
  readonly type: "bigint" | "text"
}

export type Value = string | number | null
export type Row = ReadonlyArray<Value>

/**
 * Tables that are not moved: each database has its own list of migrations; PostgreSQL has sequences instead of `counters`; the rate
 * limits of the current minute (`rate_windows`), the batches of processes that have ended (`view_batches`) and what is to be removed
 * from the disk (`content_removals`) are not needed.
 */
const unmovedTables = ["migrations", "counters", "rate_windows", "view_batches", "content_removals"]

/** The tables to move, each after those that it refers to. */
export const tablesOf = (sqlite: DatabaseSync): ReadonlyArray<Table> => {
  const names = sqlite
    // The text index is each database's own.
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'recording_search%' ORDER BY name"
    )
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !unmovedTables.includes(name))
  return names.map((name) => tableOf(sqlite, name)).sort((a, b) => depth(sqlite, a.name) - depth(sqlite, b.name))
}

const tableOf = (sqlite: DatabaseSync, name: string): Table => {
  const columns = sqlite.prepare("SELECT name, type, pk FROM pragma_table_info(?)").all(name)
  const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  return {
    name,
    columns: columns.map(({ name, type }) => ({ name: String(name), type: type === "TEXT" ? "text" : "bigint" })),
    key: key.map(({ name }) => String(name))
  }
}

const depth = (sqlite: DatabaseSync, name: string): number => {
  const parents = sqlite.prepare(`SELECT DISTINCT "table" AS parent FROM pragma_foreign_key_list(?)`).all(name)
  return Math.max(0, ...parents.map(({ parent }) => 1 + depth(sqlite, String(parent))))
}

/** Some names are keywords of SQL. */
export const quoted = (name: string): string => `"${name}"`

export const columnList = ({ columns }: Table): string => columns.map(({ name }) => quoted(name)).join(", ")

export const keyList = ({ key }: Table): string => key.map(quoted).join(", ")

/** A checksum of a table's rows in the order of its key, the same in both databases. */
export class TableSum {
  rows = 0
  private readonly hash: Hash = createHash("sha256")

  add(row: Row) {
    this.rows += 1
    this.hash.update(JSON.stringify(row)).update("\n")
  }

  /** Call it once. */
  end() {
    return { rows: this.rows, sha256: this.hash.digest("hex") }
  }
}
