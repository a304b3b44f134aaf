import type { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { TakeDue } from "./claimable.ts"
import type { Counters } from "./counters.ts"
import type { DeliveryWrites } from "./deliveryWrites.ts"
import type { Dialect } from "./dialect.ts"
import type { Crowd } from "./gathering.ts"
import type { RenewLeases } from "./renewLeases.ts"
import type { Statements } from "./Statements.ts"

/**
 * What the repositories stand on, whichever database it is. A failure of the database is a defect: no caller can do
 * anything about it, and its message says what went wrong with which file.
 */
export interface Database extends Statements {
  /** Inside a transaction its statements are part of it; outside they see what is committed, and only read. */
  readonly sql: SqlClient
  readonly dialect: Dialect
  /**
   * Gives its answer once it is committed. A transaction inside a transaction is part of it. Where others commit at the same
   * time, its body runs again when one of them was in its way: what it does besides statements has to bear that.
   */
  readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly isInTransaction: (fiber: Fiber.Fiber<unknown, unknown>) => boolean
  readonly read: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** A transaction of its own, or part of the one that it is called in. */
  readonly write: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** Once the transaction that the caller is in has committed, and once however often it is asked for. It must not throw. */
  readonly afterCommit: (callback: () => void) => Effect.Effect<void>
  /**
   * As `write`, for what holds by its statements' own conditions, whatever others commit between them: by fences, by rows that
   * it locks. Its body runs again after a deadlock.
   */
  readonly fenced: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A>
  /** As `fenced`, and each statement commits by itself: for bodies of mostly one, which cost no more then. */
  readonly apart?: Database["fenced"]
  /** How outcomes that come in a crowd are recorded, where a statement costs a round trip and a wait for the disk. */
  readonly crowd?: Crowd
  /** What PostgreSQL has of its own instead of what is written for both. */
  readonly counters?: Counters
  /** In statements of which each commits by itself. */
  readonly takeDue?: TakeDue
  readonly deliveryWrites?: DeliveryWrites
  /** In one statement. */
  readonly renewLeases?: RenewLeases
  /** Locks an id until the transaction ends, where other processes use the database; false while one of them has it. */
  readonly lockKey?: (id: string) => Effect.Effect<boolean, SqlError>
  /** The highest number of an audit entry below which none is still to be committed. */
  readonly auditEntriesUntil?: Effect.Effect<number, SqlError>
  /** Other processes on the same database, where there may be some. */
  readonly others?: Others
}

/** A hint between processes that the agenda changed. It may get lost. */
export interface Others {
  readonly tell: () => void
  /** `listener` is called when another process tells, and when it may have done so unheard. */
  readonly onTold: (listener: () => void) => void
}
