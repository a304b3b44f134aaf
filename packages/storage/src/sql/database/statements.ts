import { maxPruned } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export type Parameter = string | number | null

/**
 * Runs one statement, with a `?` for each parameter; rows are arrays in the order of the columns. For hot paths: a statement
 * made from a template costs several times as much. The text is the key of the prepared statement, so it contains no values.
 *
 * `Row` is not checked: the tables declare the types of their columns, and hot paths (deliveries, the agenda, lists of recordings,
 * counters) read rows as they are. Other rows that are a value of the domain are decoded (`documents.ts`).
 *
 * Inside a transaction the statement is part of it; outside it sees what is committed. The same holds for templates.
 */
export type Query = <Row extends ReadonlyArray<unknown>>(
  text: string,
  ...parameters: ReadonlyArray<Parameter>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Statements and the time on either database. */
export interface Statements {
  readonly query: Query
  /** Runs one statement once with each list of parameters, and returns how many rows each changed. Inside a transaction. */
  readonly changeEach: (
    text: string,
    lists: ReadonlyArray<ReadonlyArray<Parameter>>
  ) => Effect.Effect<ReadonlyArray<number>, SqlError>
  /** Decides what is due and when leases end: Effect's clock if there is one process, else the database's. */
  readonly now: Effect.Effect<Instant>
}

/**
 * Returns the list after `IN`, with its values. The last value is repeated up to the next power of two, so that lists of all lengths share
 * a few prepared statements.
 */
export const inList = <Value extends Parameter>(
  values: ReadonlyArray<Value>
): { readonly marks: string; readonly values: ReadonlyArray<Value> } => {
  const length = 2 ** Math.ceil(Math.log2(values.length))
  return {
    marks: `(${Array.from({ length }, () => "?").join(", ")})`,
    values: [...values, ...Array.from({ length: length - values.length }, () => values.at(-1)!)]
  }
}

/** Columns of a table's rows, in one order for all statements. */
export const columnsOf = <Row>(columns: { readonly [name: string]: (row: Row) => Parameter }) => {
  const names = Object.keys(columns)
  const values = Object.values(columns)
  return {
    /** Names of the columns, for `INSERT` and `SELECT`. */
    names: names.join(", "),
    marks: names.map(() => "?").join(", "),
    /** Assignments for `UPDATE`. */
    changes: names.map((name) => `${name} = ?`).join(", "),
    of: (row: Row): ReadonlyArray<Parameter> => values.map((value) => value(row))
  }
}

/**
 * The condition that two keys are equal, for a join. With `=` PostgreSQL may scan the whole of a table that it believes to be
 * empty: the queue often is, and the plan is kept. With `BETWEEN` it looks the key up.
 */
export const lookup = (key: string, by: string): string => `${key} BETWEEN ${by} AND ${by}`

/**
 * Removes a limited number of rows whose time has come. The condition is repeated, because a row may get a later time in between. `+ 0`:
 * rows are looked up by their key, not by the index of times.
 */
export const pruneRows = (
  query: Query,
  { endsAt, key, table }: { readonly table: string; readonly key: string; readonly endsAt: string },
  now: Instant
): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    query<[string]>(`SELECT ${key} FROM ${table} WHERE ${endsAt} <= ? ORDER BY ${endsAt} LIMIT ${maxPruned}`, now),
    (rows) => {
      if (rows.length === 0) return Effect.void
      const { marks, values } = inList(rows.map(([found]) => found))
      return Effect.asVoid(
        query(`DELETE FROM ${table} WHERE ${key} IN ${marks} AND ${endsAt} + 0 <= ?`, ...values, now)
      )
    }
  )
