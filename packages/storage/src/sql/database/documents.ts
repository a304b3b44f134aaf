import type { Part } from "@tapedeck/core"
import { Effect, Result, type Schema, SchemaIssue, SchemaParser } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { RowUnreadable } from "./errors.ts"
import { shapeOf } from "./shape.ts"

/** A value as JSON text, and the key by which its row is found. A migration changes it when its shape changes. */
export interface DocumentRow {
  readonly id: string | number
  readonly document: string
}

/** Reads the text of one row. Throws `RowUnreadable`, which is a defect. */
export type ReadDocument<A> = (key: string | number, text: string) => A

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const described = (issue: SchemaIssue.Issue): string =>
  formatIssue(issue)
    .issues.map(({ message, path = [] }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`))
    .join("; ")

/**
 * Reads the documents of a table. The schema may only describe: the result is the parsed value itself, which keeps the keys that a
 * newer version added. Types are checked, and limits are not: what writes a document keeps the limits, and a value beyond one is
 * readable. The schema is compiled when the first document is read.
 */
export const documentsIn = <S extends Schema.ConstraintDecoder<unknown>>(
  table: string,
  schema: S
): ReadDocument<S["Type"]> => {
  let isShape: ReturnType<typeof shapeOf> | null = null
  const decode = SchemaParser.decodeUnknownResult(schema, { disableChecks: true })
  return (key, text) => {
    const value = parsed(text)
    if (value === undefined) throw new RowUnreadable({ table, key, problem: "is not JSON" })
    if (isShape === null) isShape = shapeOf(schema.ast)
    if (isShape?.(value)) return value
    const result = decode(value)
    if (Result.isFailure(result)) throw new RowUnreadable({ table, key, problem: described(result.failure) })
    return value
  }
}

/** What `read` returns, or the row that cannot be read. */
export const attemptRead = <A>(read: () => A): A | RowUnreadable => {
  try {
    return read()
  } catch (defect) {
    if (defect instanceof RowUnreadable) return defect
    throw defect
  }
}

// The message of a `SyntaxError` quotes the text, which may be secret.
const parsed = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const allOf = <A>(
  read: ReadDocument<A>,
  rows: Effect.Effect<ReadonlyArray<DocumentRow>, SqlError>
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  Effect.map(rows, (found) => found.map(({ document, id }) => read(id, document)))

export const firstOf = <A>(
  read: ReadDocument<A>,
  rows: Effect.Effect<ReadonlyArray<DocumentRow>, SqlError>
): Effect.Effect<A | undefined, SqlError> => Effect.map(rows, ([row]) => row && read(row.id, row.document))

/** PostgreSQL's counts come as text. */
export const countOf = (rows: Effect.Effect<ReadonlyArray<{ readonly count: number | string }>, SqlError>) =>
  Effect.map(rows, ([row]) => Number(row?.count ?? 0))

export const partFrom = <A>(
  count: Effect.Effect<number, SqlError>,
  items: Effect.Effect<ReadonlyArray<A>, SqlError>
): Effect.Effect<Part<A>, SqlError> => Effect.zipWith(count, items, (count, items) => ({ count, items }))
