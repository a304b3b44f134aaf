import type { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Dialect } from "./dialect.ts"
import type { Parameter, Query } from "./Query.ts"

/**
 * What the repositories stand on, whichever database it is. A failure of the database is a defect: no caller can do
 * anything about it, and its message says what went wrong with which file.
 */
export interface Database {
  /** Inside a transaction its statements are part of it; outside they see what is committed, and only read. */
  readonly sql: SqlClient
  readonly dialect: Dialect
  readonly query: Query
  /**
   * Runs one statement that changes rows once with each list of parameters, and gives how many rows each changed. Inside a
   * transaction.
   */
  readonly changeEach: (
    text: string,
    lists: ReadonlyArray<ReadonlyArray<Parameter>>
  ) => Effect.Effect<ReadonlyArray<number>, SqlError>
  /** Gives its answer once it is committed. A transaction inside a transaction is part of it. */
  readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Whether the fiber is in a transaction. */
  readonly isInTransaction: Effect.Effect<boolean>
  readonly read: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** A transaction of its own, or part of the one that it is called in. */
  readonly write: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** Once the transaction that the caller is in has committed, and once however often it is asked for. It must not throw. */
  readonly afterCommit: (callback: () => void) => Effect.Effect<void>
}
