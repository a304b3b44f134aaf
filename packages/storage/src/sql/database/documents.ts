import type { Part } from "@tapedeck/core"
import { Effect, Result, type Schema, type SchemaAST, SchemaIssue, SchemaParser } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { RowUnreadable } from "./errors.ts"

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
  const checked = checkedBy(table, schema)
  return (key, text) => {
    const value = parsed(text)
    if (value === undefined) throw new RowUnreadable({ table, key, problem: "is not JSON" })
    return checked(key, value)
  }
}

/** Columns of a row that has no document, by the fields of their value. */
export type Columns<A> = { readonly [Field in keyof A]: unknown }

/** Reads rows whose columns are the fields of a value, by the rules of `documentsIn`. `key` is the field that names a row. */
export const columnsIn = <S extends Schema.ConstraintDecoder<unknown>>(
  table: string,
  schema: S,
  key: keyof S["Type"]
): ((columns: Columns<S["Type"]>) => S["Type"]) => {
  const checked = checkedBy(table, schema)
  return (columns) => checked(String(columns[key]), columns)
}

const checkedBy = <S extends Schema.ConstraintDecoder<unknown>>(table: string, schema: S) => {
  let isShape: ReturnType<typeof shapeOf> | null = null
  const decode = SchemaParser.decodeUnknownResult(schema, { disableChecks: true })
  return (key: string | number, value: unknown): S["Type"] => {
    if (isShape === null) isShape = shapeOf(schema.ast)
    if (isShape?.(value)) return value
    const result = decode(value)
    if (Result.isFailure(result)) throw new RowUnreadable({ table, key, problem: described(result.failure) })
    return value
  }
}

/** Returns the result of `read`, or the error of an unreadable row. */
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

/** Reads a count. PostgreSQL returns it as text. */
export const countOf = (rows: Effect.Effect<ReadonlyArray<{ readonly count: number | string }>, SqlError>) =>
  Effect.map(rows, ([row]) => Number(row?.count ?? 0))

export const partFrom = <A>(
  count: Effect.Effect<number, SqlError>,
  items: Effect.Effect<ReadonlyArray<A>, SqlError>
): Effect.Effect<Part<A>, SqlError> => Effect.zipWith(count, items, (count, items) => ({ count, items }))

type Test = (value: unknown) => boolean

/**
 * A test of parsed JSON against a schema that only describes: true only if all types are right. Undefined for a schema that it does not
 * know completely. It takes a tenth of the time of Effect's interpreter, which also reports the problem.
 */
export const shapeOf = (ast: SchemaAST.AST): Test | undefined => {
  if (ast.encoding !== undefined) return undefined
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Literal":
      return (value) => value === ast.literal
    case "Union":
      return unionShape(ast)
    case "Arrays":
      return arrayShape(ast)
    case "Objects":
      return objectShape(ast)
    default:
      return undefined
  }
}

const shapesOf = (all: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<Test> | undefined => {
  const shapes = all.map(shapeOf).filter((shape) => shape !== undefined)
  return shapes.length === all.length ? shapes : undefined
}

const unionShape = ({ types }: SchemaAST.Union): Test | undefined => {
  const shapes = shapesOf(types)
  if (shapes === undefined) return undefined
  const [first, second] = shapes
  // Most unions of two are a nullable type.
  if (shapes.length === 2) return (value) => first!(value) || second!(value)
  return (value) => shapes.some((isShape) => isShape(value))
}

/** Returns the test of tuples without optional elements, and of lists of one type. */
const arrayShape = ({ elements, rest }: SchemaAST.Arrays): Test | undefined => {
  const [firsts, rests] = [shapesOf(elements), shapesOf(rest)]
  if (firsts === undefined || rests === undefined || rest.length > 1 || elements.some(isOptional)) return undefined
  const [isItem] = rests
  return (value) =>
    Array.isArray(value) &&
    value.length >= firsts.length &&
    value.every((item, index) => (firsts[index] ?? isItem)?.(item) === true)
}

const objectShape = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Test | undefined => {
  const shapes = shapesOf(propertySignatures.map(({ type }) => type))
  if (shapes === undefined) return undefined
  if (indexSignatures.length > 0) return propertySignatures.length > 0 ? undefined : recordShape(indexSignatures)
  const fields = propertySignatures.map(({ name, type }, index) => ({
    name: String(name),
    canBeAbsent: isOptional(type),
    isShape: shapes[index]!
  }))
  return (value) => {
    if (!isObject(value)) return false
    for (const { canBeAbsent, isShape, name } of fields) {
      const field = value[name]
      if (field === undefined ? !canBeAbsent : !isShape(field)) return false
    }
    return true
  }
}

const recordShape = ([signature, ...more]: ReadonlyArray<SchemaAST.IndexSignature>): Test | undefined => {
  const isShape = signature?.parameter._tag === "String" ? shapeOf(signature.type) : undefined
  if (isShape === undefined || more.length > 0) return undefined
  return (value) => isObject(value) && Object.values(value).every(isShape)
}

const isOptional = (type: SchemaAST.AST): boolean => type.context?.isOptional === true

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
