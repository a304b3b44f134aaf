import { maxPruned } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export type Parameter = string | number | null

/**
 * Runs one statement, with a `?` for each parameter; rows are arrays in the order of the columns. For hot paths: a statement
 * made from a template costs several times as much. The text is the key of the prepared statement, so it contains no values.
 *
 * Inside a transaction the statement is part of it; outside it sees what is committed. The same holds for templates.
 */
export type Query = <Row extends ReadonlyArray<unknown>>(
  text: string,
  ...parameters: ReadonlyArray<Parameter>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** How statements run, and the time, on either database. */
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
 * What follows `IN`, with its values. The last value is repeated up to the next power of two, so that lists of all lengths
 * share a few prepared statements.
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

/**
 * The condition that two keys are equal, for a join. With `=` PostgreSQL may scan the whole of a table that it believes to be
 * empty: the queue often is, and the plan is kept. With `BETWEEN` it looks the key up.
 */
export const lookup = (key: string, by: string): string => `${key} BETWEEN ${by} AND ${by}`

/**
 * A statement that removes a limited number of rows whose time has come: it has the instant twice as a parameter, because a row may
 * get a later time while the statement waits for it.
 */
export const pruned = (table: string, key: string, endsAt: string): string =>
  `DELETE FROM ${table} WHERE ${endsAt} <= ? AND ${key} IN (
    SELECT ${key} FROM ${table} WHERE ${endsAt} <= ? ORDER BY ${endsAt} LIMIT ${maxPruned})`
