import { DatabaseSync, type StatementSync } from "node:sqlite"
import { Effect, Layer, Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { make, SqlClient } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import { makeCompilerSqlite } from "effect/sql/Statement"

type Value = null | number | bigint | string | Uint8Array

/** Converts a parameter, because SQLite has neither booleans nor `undefined`. */
const valueOf = (param: unknown): Value => {
  if (typeof param === "boolean") return param ? 1 : 0
  return param === undefined ? null : (param as Value)
}

/** Maximum number of prepared statements. */
const maxPrepared = 100

const connectionOf = (database: DatabaseSync, file: string): Connection => {
  const prepared = new Map<string, StatementSync>()

  const statementOf = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    if (prepared.size >= maxPrepared) prepared.clear()
    prepared.set(text, statement)
    return statement
  }

  const run = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.try({
      try: (): ReadonlyArray<Record<string, unknown>> => statementOf(text).all(...params.map(valueOf)),
      catch: (cause) => errorOf(cause, file)
    })

  const execute: Connection["execute"] = (text, params, transformRows) =>
    Effect.map(run(text, params), (rows) => transformRows?.(rows) ?? rows)
  const executeValues: Connection["executeValues"] = (text, params) =>
    Effect.map(run(text, params), (rows) => rows.map((row) => Object.values(row)))

  return {
    execute,
    executeRaw: run,
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (text, params, transformRows) => Stream.fromIterableEffect(execute(text, params, transformRows))
  }
}

const errorOf = (cause: unknown, file: string) =>
  new SqlError({
    reason: classifySqliteError(cause, {
      message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  })

/**
 * Provides a SQLite client on `node:sqlite` with one connection, on which transactions run one after another. The file is created if it
 * does not exist; `:memory:` is a database that ends with the layer.
 */
export const layerNodeSqlite = (file: string): Layer.Layer<SqlClient, SqlError> =>
  Layer.effect(
    SqlClient,
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.try({
          try: () => {
            const opened = new DatabaseSync(file)
            opened.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON")
            return opened
          },
          catch: (cause) => errorOf(cause, file)
        }),
        (opened) => Effect.sync(() => opened.close())
      )
      const connection = connectionOf(database, file)
      const semaphore = yield* Semaphore.make(1)
      const one = Effect.succeed(connection)
      return yield* make({
        acquirer: semaphore.withPermits(1)(one),
        transactionAcquirer: Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.scope, (scope) =>
            restore(semaphore.take(1)).pipe(
              Effect.andThen(Scope.addFinalizer(scope, semaphore.release(1))),
              Effect.andThen(one)
            )
          )
        ),
        compiler: makeCompilerSqlite(),
        driver: "node-sqlite",
        spanAttributes: [["db.system.name", "sqlite"]],
        // Two processes that read first and then write would meet at the write, too late to wait.
        beginTransaction: "BEGIN IMMEDIATE"
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
