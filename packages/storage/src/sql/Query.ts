import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export type Parameter = string | number | null

/**
 * Runs one statement, written out, with a `?` for each parameter: rows come as arrays, in the order of the columns. It is
 * the way of hot reads and of what runs several statements for each row: a prepared statement's own price, where a
 * statement put together from a template costs several times that. The text is what a statement is kept prepared by: it
 * holds no values.
 *
 * As with templates: inside a transaction it is part of it; outside it sees what is committed.
 */
export type Query = <Row extends ReadonlyArray<unknown>>(
  text: string,
  ...parameters: ReadonlyArray<Parameter>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>
