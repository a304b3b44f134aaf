import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Clock, Effect, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { Parameter } from "../sql/database/statements.ts"

/** `Query`, with lists as parameters too; the statement gives their type: `unnest(?::bigint[])`. */
export type ListQuery = <Row extends ReadonlyArray<unknown>>(
  text: string,
  ...parameters: ReadonlyArray<Parameter | ReadonlyArray<Parameter>>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** A connection of the pool, or the pool, which takes any connection for each statement. */
export interface Session {
  readonly query: PgConnection.PgConnection["query"]
  readonly queryValues: PgConnection.PgConnection["queryValues"]
}

export const sessionOf = (pool: PgPool.PgPool): Session => ({
  query: (text, parameters) => pool.use((connection) => connection.query(text, parameters)),
  queryValues: (text, parameters) => pool.use((connection) => connection.queryValues(text, parameters))
})

const wallClock = Clock.Clock.defaultValue()

/** Provides the wall clock: the driver's timeouts would use the caller's clock, which may stand still. */
export const onWallClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, wallClock)

const numberedTexts = new Map<string, string>()

/** Replaces each `?` by PostgreSQL's `$1`, `$2`, …. Memoized: there are a few hundred texts. */
export const numbered = (text: string): string => {
  const found = numberedTexts.get(text)
  if (found !== undefined) return found
  let number = 0
  const made = text.replace(/\?/g, () => `$${++number}`)
  numberedTexts.set(text, made)
  return made
}

const elementText = (element: unknown): string =>
  element === null ? "NULL" : typeof element === "string" ? `"${element.replace(/["\\]/g, "\\$&")}"` : String(element)

const listText = (list: ReadonlyArray<unknown>): string => {
  let text = ""
  for (const element of list) text += text === "" ? elementText(element) : `,${elementText(element)}`
  return `{${text}}`
}

/** Returns the parameter as text without a type: PostgreSQL infers the type from the statement, which it cannot from a number. */
const parameterOf = (value: unknown): unknown => {
  switch (typeof value) {
    case "number":
      return String(value)
    case "boolean":
      return value ? "1" : "0"
    case "undefined":
      return null
    default:
      return Array.isArray(value) ? listText(value) : value
  }
}

/** Rows as arrays, in the order of the columns. */
export const valuesOf = <Row extends ReadonlyArray<unknown>>(
  session: Session,
  text: string,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  onWallClock(session.queryValues(text, parameters.map(parameterOf))) as Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Runs Effect's SQL templates. */
export class StatementConnection implements Connection {
  protected readonly session: () => Session

  constructor(session: () => Session) {
    this.session = session
  }

  execute: Connection["execute"] = (text, parameters, transformRows) =>
    Effect.map(onWallClock(this.session().query(text, parameters.map(parameterOf))), ({ rows }) =>
      transformRows === undefined ? rows : transformRows(rows)
    )

  executeRaw: Connection["executeRaw"] = (text, parameters) => this.execute(text, parameters, undefined)

  executeUnprepared: Connection["executeUnprepared"] = this.execute

  executeValues: Connection["executeValues"] = (text, parameters) => valuesOf(this.session(), text, parameters)

  executeValuesUnprepared: Connection["executeValuesUnprepared"] = this.executeValues

  executeStream: Connection["executeStream"] = (text, parameters, transformRows) =>
    Stream.fromIterableEffect(this.execute(text, parameters, transformRows))
}
