import type { Change } from "@tapedeck/core"
import type { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { DeliveryPort } from "../deliveries/DeliveryPort.ts"
import type { Dialect } from "./dialect.ts"
import type { Statements } from "./statements.ts"

/**
 * Operations of a database that the repositories use. A failure of the database is a defect, because no caller can handle it; its message
 * has the error and the database.
 */
export interface Database extends Statements {
  /** Inside a transaction its statements are part of it; outside they see what is committed, and only read. */
  readonly sql: SqlClient
  readonly dialect: Dialect
  /** Identity of the database, which distinguishes it from a restored copy; undefined if it has none. */
  readonly identity: Effect.Effect<string | undefined, SqlError>
  /**
   * A serializable transaction: returns once it is committed. Inside another one it is part of that. After a conflict with a
   * concurrent transaction its body runs again, so it may contain nothing but statements.
   */
  readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly isInTransaction: (fiber: Fiber.Fiber<unknown, unknown>) => boolean
  readonly read: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** Runs statements in a transaction, like `transaction`. */
  readonly write: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /**
   * Does the same as `write`, at the isolation level read committed: for bodies whose conditions (fences, row locks) hold whatever
   * others commit between their statements. The body runs again after a deadlock.
   */
  readonly readCommitted: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /**
   * Does the same as `readCommitted`, but each statement commits by itself: for bodies of mostly one statement, which saves round trips.
   */
  readonly autocommit: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** Runs the callback once after the caller's transaction commits, however often it is passed. It must not throw. */
  readonly afterCommit: (callback: () => void) => Effect.Effect<void>
  readonly counters: Counters
  readonly deliveries: DeliveryPort
  /** Locks an id until the transaction ends; false while another process holds the lock. */
  readonly lockKey: (id: string) => Effect.Effect<boolean, SqlError>
  /**
   * A number up to which no audit entry is still to be committed. It may be out of date if no entry above `after` exists, and
   * inside a transaction.
   */
  readonly auditEntriesSettledUntil: (after: number) => Effect.Effect<number, SqlError>
  readonly peers: Peers
}

/** Numbers that are drawn only once. Inside a transaction. */
export interface Counters {
  readonly next: (kind: string) => Effect.Effect<number, SqlError>
  /** Ensures that a number that was drawn elsewhere is not drawn again. */
  readonly from: (kind: string, taken: number) => Effect.Effect<unknown, SqlError>
}

/** Other processes that use the same database. */
export interface Peers {
  /** True if other processes may use the database. */
  readonly isPossible: boolean
  /** True in one of the processes, which reports for all of them (`Store.isReporter`). */
  readonly isReporter: Effect.Effect<boolean, SqlError>
  /** Tells them that the agenda changed. A hint, which may get lost. */
  readonly notify: () => void
  /** Calls the listener when a peer notifies, and when a notification may have been missed. */
  readonly onNotified: (listener: () => void) => void
  /** Tells them what was committed here. It may get lost. */
  readonly notifyChanges: (changes: ReadonlyArray<Change>) => void
  /** Calls the listener with what peers committed; null: with some that were missed. */
  readonly onChanges: (listener: (changes: ReadonlyArray<Change> | null) => void) => void
}
