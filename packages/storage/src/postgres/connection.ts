import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Clock, Effect, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

/** A connection of the pool, or the pool itself, which takes any of them for each statement. */
export interface Statements {
  readonly query: PgConnection.PgConnection["query"]
  readonly queryValues: PgConnection.PgConnection["queryValues"]
}

export const statementsOf = (pool: PgPool.PgPool): Statements => ({
  query: (text, parameters) => pool.use((connection) => connection.query(text, parameters)),
  queryValues: (text, parameters) => pool.use((connection) => connection.queryValues(text, parameters))
})

const wallClock = Clock.Clock.defaultValue()

/** Time-outs of the driver go by the caller's clock, which may be one that stands still. */
export const onWallClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, wallClock)

const elementText = (element: unknown): string =>
  element === null ? "NULL" : typeof element === "string" ? `"${element.replace(/["\\]/g, "\\$&")}"` : String(element)

const listText = (list: ReadonlyArray<unknown>): string => {
  let text = ""
  for (const element of list) text += text === "" ? elementText(element) : `,${elementText(element)}`
  return `{${text}}`
}

/** As text and without a type: PostgreSQL takes it for what the statement wants there, as a number's type it cannot know. */
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
  statements: Statements,
  text: string,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  onWallClock(statements.queryValues(text, parameters.map(parameterOf))) as Effect.Effect<ReadonlyArray<Row>, SqlError>

/** What Effect's SQL templates run on. */
export class StatementConnection implements Connection {
  protected readonly statements: () => Statements

  constructor(statements: () => Statements) {
    this.statements = statements
  }

  execute: Connection["execute"] = (text, parameters, transformRows) =>
    Effect.map(onWallClock(this.statements().query(text, parameters.map(parameterOf))), ({ rows }) =>
      transformRows === undefined ? rows : transformRows(rows)
    )

  executeRaw: Connection["executeRaw"] = (text, parameters) => this.execute(text, parameters, undefined)

  executeUnprepared: Connection["executeUnprepared"] = this.execute

  executeValues: Connection["executeValues"] = (text, parameters) => valuesOf(this.statements(), text, parameters)

  executeValuesUnprepared: Connection["executeValuesUnprepared"] = this.executeValues

  executeStream: Connection["executeStream"] = (text, parameters, transformRows) =>
    Stream.fromIterableEffect(this.execute(text, parameters, transformRows))
}
