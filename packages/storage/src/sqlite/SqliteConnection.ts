import { DatabaseSync, type StatementSync } from "node:sqlite"
import { Effect, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { Parameter } from "../sql/database/statements.ts"
import { sqlErrorOf } from "./errors.ts"

type Row = Record<string, unknown>
type Value = null | number | bigint | string | Uint8Array

/** The code contains a few hundred statements; lists of parameters add some. */
const maxPrepared = 500

/** One connection of `node:sqlite`, which is synchronous. Statements are prepared when they first run, and cached. */
export class SqliteConnection implements Connection {
  readonly file: string
  private readonly database: DatabaseSync
  private readonly prepared = new Map<string, StatementSync>()
  private readonly preparedForArrays = new Map<string, StatementSync>()

  /** Throws a `SqlError` that names the file. */
  constructor(file: string, pragmas: ReadonlyArray<string>, { readOnly = false } = {}) {
    this.file = file
    try {
      this.database = new DatabaseSync(file, { readOnly })
      for (const pragma of pragmas) this.database.exec(`PRAGMA ${pragma}`)
    } catch (cause) {
      throw sqlErrorOf(cause, file)
    }
  }

  /** Runs one statement. Throws a `SqlError`. */
  run(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Row> {
    try {
      let statement = this.prepared.get(sql)
      if (statement === undefined) {
        statement = this.database.prepare(sql)
        if (this.prepared.size >= maxPrepared) this.prepared.clear()
        this.prepared.set(sql, statement)
      }
      return statement.all(...params.map(valueOf))
    } catch (cause) {
      throw sqlErrorOf(cause, this.file)
    }
  }

  /** Runs a statement without values in its text. Rows are arrays. Fails with a `SqlError`. */
  values<Row extends ReadonlyArray<unknown>>(
    sql: string,
    params: ReadonlyArray<Parameter>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError> {
    try {
      return Effect.succeed(this.forArrays(sql).all(...params) as unknown as ReadonlyArray<Row>)
    } catch (cause) {
      return Effect.fail(sqlErrorOf(cause, this.file))
    }
  }

  /** Runs a statement once with each list, and returns how many rows each changed. Fails with a `SqlError`. */
  changeEach(
    sql: string,
    lists: ReadonlyArray<ReadonlyArray<Parameter>>
  ): Effect.Effect<ReadonlyArray<number>, SqlError> {
    try {
      const statement = this.forArrays(sql)
      return Effect.succeed(lists.map((params) => Number(statement.run(...params).changes)))
    } catch (cause) {
      return Effect.fail(sqlErrorOf(cause, this.file))
    }
  }

  private forArrays(sql: string): StatementSync {
    let statement = this.preparedForArrays.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      statement.setReturnArrays(true)
      this.preparedForArrays.set(sql, statement)
    }
    return statement
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction
  }

  close() {
    this.prepared.clear()
    this.preparedForArrays.clear()
    this.database.close()
  }

  execute: Connection["execute"] = (sql, params, transformRows) =>
    Effect.suspend(() => {
      try {
        const rows = this.run(sql, params)
        return Effect.succeed(transformRows === undefined ? rows : transformRows(rows))
      } catch (error) {
        return Effect.fail(error as SqlError)
      }
    })

  executeRaw: Connection["executeRaw"] = (sql, params) => this.execute(sql, params, undefined)

  executeUnprepared: Connection["executeUnprepared"] = this.execute

  executeValues: Connection["executeValues"] = (sql, params) =>
    Effect.map(this.execute(sql, params, undefined), (rows) => rows.map((row) => Object.values(row)))

  executeValuesUnprepared: Connection["executeValuesUnprepared"] = this.executeValues

  executeStream: Connection["executeStream"] = (sql, params, transformRows) =>
    Stream.fromIterableEffect(this.execute(sql, params, transformRows))
}

/** SQLite has neither booleans nor `undefined`. */
const valueOf = (param: unknown): Value => {
  if (typeof param === "boolean") return param ? 1 : 0
  return param === undefined ? null : (param as Value)
}
