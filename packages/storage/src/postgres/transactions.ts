import type { PgPool } from "@effect/sql-pg"
import { Cause, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { onWallClock, type Statements } from "./connection.ts"
import { defectOf, isConflict, isDisconnection, refusalIn, sqlErrorOf } from "./trouble.ts"

/** A transaction while its body runs. */
export class Transaction {
  readonly statements: Statements
  /** Its body has ended: a fiber that the body left behind is in it no more. */
  over = false
  /** Run once it is committed. */
  readonly callbacks = new Set<() => void>()

  constructor(statements: Statements) {
    this.statements = statements
  }
}

/** How often a body runs at most, the first time included. */
const MOST_TRIES = 20
/** From this try on, it has its turn alone among all that met others as often. */
const TURNS_FROM = 4
/** A connection that was lost is replaced at once, and if the server is gone that is told at once. */
const MOST_RECONNECTIONS = 3

const serializable = "BEGIN ISOLATION LEVEL SERIALIZABLE"
const readCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"
/** Before the first look at any row: what is seen is what was committed when the turn came. */
const takeTurn = "LOCK TABLE turns IN EXCLUSIVE MODE"

/** An ended try: what came of the body, and whether the connection was there when it was committed. */
interface Tried<A, E> {
  readonly exit: Exit.Exit<A, E>
  /** The commit was asked for and never answered: nobody knows. */
  readonly isInDoubt: boolean
}

/**
 * Transactions on a pool of connections (docs/adr/0020-transactions-on-postgresql.md). `isolated` ones have an outcome as if
 * one had run after another, as on SQLite: PostgreSQL ends those for which it cannot be so, and their bodies run again.
 * `fenced` ones see what others commit between their statements, and wait for rows that others have; they run again after a
 * deadlock.
 */
export class Transactions {
  private readonly pool: PgPool.PgPool
  private readonly name: string
  /** Of this process one at a time runs again: those that met others would only meet each other. */
  private readonly again = Semaphore.makeUnsafe(1)

  constructor(pool: PgPool.PgPool, name: string) {
    this.pool = pool
    this.name = name
  }

  isolated<A, E, R>(body: (transaction: Transaction) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, serializable)
  }

  fenced<A, E, R>(body: (transaction: Transaction) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, readCommitted)
  }

  /** Without a transaction around the body: each of its statements is one. */
  apart<A, E, R>(body: (transaction: Transaction) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, undefined)
  }

  private run<A, E, R>(
    body: (transaction: Transaction) => Effect.Effect<A, E, R>,
    begin: string | undefined
  ): Effect.Effect<A, E, R> {
    return Effect.flatMap(this.attempt(body, begin === undefined ? [] : [begin]), (tried) =>
      this.reasonToRepeat(tried) === undefined ? tried.exit : this.again.withPermits(1)(this.repeat(body, begin, tried))
    )
  }

  private repeat<A, E, R>(
    body: (transaction: Transaction) => Effect.Effect<A, E, R>,
    begin: string | undefined,
    first: Tried<A, E>
  ): Effect.Effect<A, E, R> {
    return Effect.gen({ self: this }, function* () {
      let tried = first
      let reconnections = 0
      for (let tries = 1; tries < MOST_TRIES; tries++) {
        const reason = this.reasonToRepeat(tried)
        if (reason === undefined || (reason === "disconnection" && ++reconnections > MOST_RECONNECTIONS)) break
        if (tries > 1) yield* onWallClock(Effect.sleep(Math.random() * Math.min(50, 2 ** tries)))
        const first = begin === undefined ? [] : tries < TURNS_FROM ? [begin] : [begin, takeTurn]
        tried = yield* this.attempt(body, first)
      }
      return yield* tried.exit
    })
  }

  private reasonToRepeat({ exit, isInDoubt }: Tried<unknown, unknown>): "conflict" | "disconnection" | undefined {
    if (Exit.isSuccess(exit) || isInDoubt) return undefined
    const refusal = refusalIn(exit.cause)
    if (refusal === undefined) return undefined
    return isConflict(refusal) ? "conflict" : isDisconnection(refusal) ? "disconnection" : undefined
  }

  private attempt<A, E, R>(
    body: (transaction: Transaction) => Effect.Effect<A, E, R>,
    begin: ReadonlyArray<string>
  ): Effect.Effect<Tried<A, E>, never, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const scope = yield* Scope.make()
        const exit = yield* Effect.exit(this.within(scope, restore, body, begin))
        // What it gives back is the connection; a broken one is replaced.
        yield* onWallClock(Scope.close(scope, Exit.void))
        return Exit.isSuccess(exit) ? exit.value : { exit: Exit.failCause(exit.cause), isInDoubt: false }
      })
    )
  }

  private within<A, E, R>(
    scope: Scope.Scope,
    restore: <A2, E2, R2>(effect: Effect.Effect<A2, E2, R2>) => Effect.Effect<A2, E2, R2>,
    body: (transaction: Transaction) => Effect.Effect<A, E, R>,
    begin: ReadonlyArray<string>
  ): Effect.Effect<Tried<A, E>, never, R> {
    return Effect.gen({ self: this }, function* () {
      const connection = yield* this.orDie(restore(onWallClock(Scope.provide(this.pool.reserve, scope))))
      const control = (text: string) => onWallClock(connection.query(text))
      for (const statement of begin) yield* this.orDie(restore(control(statement)))
      const transaction = new Transaction(connection)
      const exit = yield* Effect.exit(restore(Effect.suspend(() => body(transaction))))
      transaction.over = true
      if (begin.length === 0) return this.endedApart(transaction, exit)
      if (Exit.isFailure(exit)) {
        // Where that fails too, the connection is gone, and the transaction with it.
        yield* Effect.ignore(control("ROLLBACK"))
        return { exit, isInDoubt: false }
      }
      const committed = yield* Effect.exit(control("COMMIT"))
      if (Exit.isFailure(committed)) return this.notCommitted(committed.cause)
      if (committed.value.command === "ROLLBACK") {
        return { exit: Exit.die(new Error(`${this.name}: the transaction was given up`)), isInDoubt: false }
      }
      for (const callback of transaction.callbacks) callback()
      return { exit, isInDoubt: false }
    })
  }

  /** What its statements did is committed, whatever came of the body. */
  private endedApart<A, E>({ callbacks }: Transaction, exit: Exit.Exit<A, E>): Tried<A, E> {
    for (const callback of callbacks) callback()
    return { exit, isInDoubt: false }
  }

  private notCommitted(cause: Cause.Cause<SqlError>): Tried<never, never> {
    const error = refusalIn(cause)
    if (error === undefined) return { exit: Exit.failCause(Cause.die(Cause.squash(cause))), isInDoubt: true }
    return { exit: Exit.die(sqlErrorOf(error, this.name)), isInDoubt: isDisconnection(error) }
  }

  private orDie<A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> {
    return Effect.catch(effect, (error) => Effect.die(defectOf(error, this.name)))
  }
}
