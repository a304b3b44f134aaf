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

type Body<A, E, R> = (transaction: Transaction) => Effect.Effect<A, E, R>
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

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

/** Where transactions run. */
interface Place {
  readonly pool: PgPool.PgPool
  readonly name: string
}

const orDie = <A, R>(effect: Effect.Effect<A, SqlError, R>, { name }: Place): Effect.Effect<A, never, R> =>
  Effect.catch(effect, (error) => Effect.die(defectOf(error, name)))

const reasonToRepeat = ({ exit, isInDoubt }: Tried<unknown, unknown>): "conflict" | "disconnection" | undefined => {
  if (Exit.isSuccess(exit) || isInDoubt) return undefined
  const refusal = refusalIn(exit.cause)
  if (refusal === undefined) return undefined
  return isConflict(refusal) ? "conflict" : isDisconnection(refusal) ? "disconnection" : undefined
}

/** What its statements did is committed. */
const committedAll = <A, E>({ callbacks }: Transaction, exit: Exit.Exit<A, E>): Tried<A, E> => {
  for (const callback of callbacks) callback()
  return { exit, isInDoubt: false }
}

const notCommitted = (cause: Cause.Cause<SqlError>, { name }: Place): Tried<never, never> => {
  const error = refusalIn(cause)
  if (error === undefined) return { exit: Exit.failCause(Cause.die(Cause.squash(cause))), isInDoubt: true }
  return { exit: Exit.die(sqlErrorOf(error, name)), isInDoubt: isDisconnection(error) }
}

// Generator functions that are made once: one that is made and run anew with each transaction (`Effect.gen` in a method) has V8
// keep what it closes over, all rows of a claim, until it collects everything, and not only what is young.

/** On a connection that the scope gives back. */
const within = Effect.fnUntraced(function* <A, E, R>(
  place: Place,
  scope: Scope.Scope,
  restore: Restore,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.fn.Return<Tried<A, E>, never, R> {
  const connection = yield* orDie(restore(onWallClock(Scope.provide(place.pool.reserve, scope))), place)
  const control = (text: string) => onWallClock(connection.query(text))
  for (const statement of begin) yield* orDie(restore(control(statement)), place)
  const transaction = new Transaction(connection)
  const exit = yield* Effect.exit(restore(Effect.suspend(() => body(transaction))))
  transaction.over = true
  // Each statement was committed by itself, whatever came of the body.
  if (begin.length === 0) return committedAll(transaction, exit)
  if (Exit.isFailure(exit)) {
    // Where that fails too, the connection is gone, and the transaction with it.
    yield* Effect.ignore(control("ROLLBACK"))
    return { exit, isInDoubt: false }
  }
  const committed = yield* Effect.exit(control("COMMIT"))
  if (Exit.isFailure(committed)) return notCommitted(committed.cause, place)
  if (committed.value.command === "ROLLBACK") {
    return { exit: Exit.die(new Error(`${place.name}: the transaction was given up`)), isInDoubt: false }
  }
  return committedAll(transaction, exit)
})

const attemptWith = Effect.fnUntraced(function* <A, E, R>(
  place: Place,
  restore: Restore,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.fn.Return<Tried<A, E>, never, R> {
  const scope = yield* Scope.make()
  const exit = yield* Effect.exit(within(place, scope, restore, body, begin))
  // What it gives back is the connection; a broken one is replaced.
  yield* onWallClock(Scope.close(scope, Exit.void))
  return Exit.isSuccess(exit) ? exit.value : { exit: Exit.failCause(exit.cause), isInDoubt: false }
})

/** Runs a body once, between the statements that begin a transaction, if there are any, and its end. */
const attempt = <A, E, R>(
  place: Place,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.Effect<Tried<A, E>, never, R> =>
  Effect.uninterruptibleMask((restore) => attemptWith(place, restore, body, begin))

/** Runs a body again, for as long as there is a reason to, and often enough. */
const repeat = Effect.fnUntraced(function* <A, E, R>(
  place: Place,
  body: Body<A, E, R>,
  begin: string | undefined,
  first: Tried<A, E>
): Effect.fn.Return<A, E, R> {
  let tried = first
  let reconnections = 0
  for (let tries = 1; tries < MOST_TRIES; tries++) {
    const reason = reasonToRepeat(tried)
    if (reason === undefined || (reason === "disconnection" && ++reconnections > MOST_RECONNECTIONS)) break
    if (tries > 1) yield* onWallClock(Effect.sleep(Math.random() * Math.min(50, 2 ** tries)))
    const first = begin === undefined ? [] : tries < TURNS_FROM ? [begin] : [begin, takeTurn]
    tried = yield* attempt(place, body, first)
  }
  return yield* tried.exit
})

/**
 * Transactions on a pool of connections (docs/adr/0020-transactions-on-postgresql.md). `isolated` ones have an outcome as if
 * one had run after another, as on SQLite: PostgreSQL ends those for which it cannot be so, and their bodies run again.
 * `fenced` ones see what others commit between their statements, and wait for rows that others have; they run again after a
 * deadlock.
 */
export class Transactions {
  private readonly place: Place
  /** Of this process one at a time runs again: those that met others would only meet each other. */
  private readonly again = Semaphore.makeUnsafe(1)

  constructor(pool: PgPool.PgPool, name: string) {
    this.place = { pool, name }
  }

  isolated<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, serializable)
  }

  fenced<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, readCommitted)
  }

  /** Without a transaction around the body: each of its statements is one. */
  apart<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, undefined)
  }

  private run<A, E, R>(body: Body<A, E, R>, begin: string | undefined): Effect.Effect<A, E, R> {
    return Effect.flatMap(attempt(this.place, body, begin === undefined ? [] : [begin]), (tried) =>
      reasonToRepeat(tried) === undefined
        ? tried.exit
        : this.again.withPermits(1)(repeat(this.place, body, begin, tried))
    )
  }
}
