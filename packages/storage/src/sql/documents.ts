import type { Part } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** An object as JSON text. It is not validated: a migration changes it when its shape changes. */
export interface DocumentRow {
  readonly document: string
}

const decoded = <A>(row: DocumentRow): A => JSON.parse(row.document) as A

export const allOf = <A>(
  rows: Effect.Effect<ReadonlyArray<DocumentRow>, SqlError>
): Effect.Effect<ReadonlyArray<A>, SqlError> => Effect.map(rows, (found) => found.map((row) => decoded<A>(row)))

export const firstOf = <A>(
  rows: Effect.Effect<ReadonlyArray<DocumentRow>, SqlError>
): Effect.Effect<A | undefined, SqlError> =>
  Effect.map(rows, ([row]) => (row === undefined ? undefined : decoded<A>(row)))

/** PostgreSQL's counts come as text. */
export const countOf = (rows: Effect.Effect<ReadonlyArray<{ readonly count: number | string }>, SqlError>) =>
  Effect.map(rows, ([row]) => Number(row?.count ?? 0))

export const partFrom = <A>(
  count: Effect.Effect<number, SqlError>,
  items: Effect.Effect<ReadonlyArray<A>, SqlError>
): Effect.Effect<Part<A>, SqlError> => Effect.zipWith(count, items, (count, items) => ({ count, items }))
