import type { PgPool } from "@effect/sql-pg"
import { StoreBusy } from "@tapedeck/core"
import { Cause, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { countEndedTransaction, type TransactionEnd } from "../metrics.ts"
import { onWallClock, type Session } from "./connection.ts"
import { sessionWithDeadline, withDeadline } from "./deadline.ts"
import { defectOf, isConflict, isDisconnection, isTimeout, sqlErrorIn, sqlErrorOf } from "./errors.ts"

/** A running transaction. */
export class Transaction {
  readonly session: Session
  /** True after the body has ended: a fiber that it left behind is no longer part of the transaction. */
  isOver = false
  /** Called after the commit. */
  readonly callbacks = new Set<() => void>()

  constructor(session: Session) {
    this.session = session
  }
}

type Body<A, E, R> = (transaction: Transaction) => Effect.Effect<A, E, R>
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Maximum number of runs of a body. */
const maxTries = 20
/** Number of tries after which a transaction runs while no other does. */
const aloneFromTry = 4
/** A lost connection is replaced at once; if the server is unavailable, that is reported at once. */
const maxReconnections = 3

/**
 * A transaction takes the lock in a shared mode, before its first read, so that its snapshot is taken after the lock was granted.
 * A repeated one that takes it exclusively begins when no other runs, so it conflicts with none of them. It waits 1 s at most, as new
 * transactions wait behind it: a long one delays them no longer than that at a time.
 */
const beginWith = (isolation: "SERIALIZABLE" | "READ COMMITTED"): Begin => ({
  shared: [`BEGIN ISOLATION LEVEL ${isolation}`, "LOCK TABLE transaction_lock IN ROW SHARE MODE"],
  alone: [
    `BEGIN ISOLATION LEVEL ${isolation}`,
    "SET LOCAL lock_timeout = '1s'",
    "LOCK TABLE transaction_lock IN EXCLUSIVE MODE",
    "SET LOCAL lock_timeout = 0"
  ]
})

/** The statements with which a transaction begins. */
interface Begin {
  readonly shared: ReadonlyArray<string>
  readonly alone: ReadonlyArray<string>
}

const serializable = beginWith("SERIALIZABLE")
const readCommitted = beginWith("READ COMMITTED")
const autocommit: Begin = { shared: [], alone: [] }

/** The result of a try. */
interface Tried<A, E> {
  readonly exit: Exit.Exit<A, E>
  /** The commit was sent and not answered: whether it happened is unknown. */
  readonly isInDoubt: boolean
}

/** An empty table, which has to exist before the first transaction. */
export const createTransactionLock = "CREATE TABLE IF NOT EXISTS transaction_lock (id BIGINT)"

interface Target {
  readonly pool: PgPool.PgPool
  readonly name: string
  /** Maximum time of a statement, and of the wait for a connection (deadline.ts). */
  readonly deadlineMs: number | undefined
}

const orDie = <A, R>(effect: Effect.Effect<A, SqlError, R>, { name }: Target): Effect.Effect<A, never, R> =>
  Effect.catch(effect, (error) => Effect.die(defectOf(error, name)))

const reasonToRepeat = ({ exit, isInDoubt }: Tried<unknown, unknown>): "conflict" | "disconnection" | undefined => {
  if (Exit.isSuccess(exit) || isInDoubt) return undefined
  const error = sqlErrorIn(exit.cause)
  // A repetition would wait as long again.
  if (error === undefined || isTimeout(error)) return undefined
  return isConflict(error) ? "conflict" : isDisconnection(error) ? "disconnection" : undefined
}

const committedResult = <A, E>({ callbacks }: Transaction, exit: Exit.Exit<A, E>): Tried<A, E> => {
  for (const callback of callbacks) callback()
  return { exit, isInDoubt: false }
}

const notCommitted = (cause: Cause.Cause<SqlError>, { name }: Target): Tried<never, never> => {
  const error = sqlErrorIn(cause)
  if (error === undefined) return { exit: Exit.failCause(Cause.die(Cause.squash(cause))), isInDoubt: true }
  return { exit: Exit.die(sqlErrorOf(error, name)), isInDoubt: isDisconnection(error) || isTimeout(error) }
}

// These generator functions are created once: with one for each transaction (`Effect.gen` in a method), V8 keeps what it closes
// over, all rows of a claim, until a major garbage collection.

/** Runs on a connection that the scope returns to the pool. */
const runIn = Effect.fnUntraced(function* <A, E, R>(
  target: Target,
  scope: Scope.Scope,
  restore: Restore,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.fn.Return<Tried<A, E>, never, R> {
  const { deadlineMs, pool } = target
  const reserved = withDeadline(deadlineMs)(Scope.provide(pool.reserve, scope))
  const connection = sessionWithDeadline(yield* orDie(restore(onWallClock(reserved)), target), deadlineMs)
  const control = (text: string) => onWallClock(connection.query(text))
  for (const statement of begin) yield* orDie(restore(control(statement)), target)
  const transaction = new Transaction(connection)
  const exit = yield* Effect.exit(restore(Effect.suspend(() => body(transaction))))
  transaction.isOver = true
  // Each statement has committed by itself.
  if (begin.length === 0) return committedResult(transaction, exit)
  if (Exit.isFailure(exit)) {
    // If this fails too, the connection is lost, and the transaction with it.
    yield* Effect.ignore(control("ROLLBACK"))
    return { exit, isInDoubt: false }
  }
  const committed = yield* Effect.exit(control("COMMIT"))
  if (Exit.isFailure(committed)) return notCommitted(committed.cause, target)
  if (committed.value.command === "ROLLBACK") {
    return { exit: Exit.die(new Error(`${target.name}: the transaction was rolled back`)), isInDoubt: false }
  }
  return committedResult(transaction, exit)
})

const attemptWith = Effect.fnUntraced(function* <A, E, R>(
  target: Target,
  restore: Restore,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.fn.Return<Tried<A, E>, never, R> {
  const scope = yield* Scope.make()
  const exit = yield* Effect.exit(runIn(target, scope, restore, body, begin))
  // Returns the connection to the pool, which replaces a broken one.
  yield* onWallClock(Scope.close(scope, Exit.void))
  return Exit.isSuccess(exit) ? exit.value : { exit: Exit.failCause(exit.cause), isInDoubt: false }
})

const endOf = (tried: Tried<unknown, unknown>): TransactionEnd | undefined => {
  const error = Exit.isSuccess(tried.exit) ? undefined : sqlErrorIn(tried.exit.cause)
  if (error === undefined) return undefined
  if (isTimeout(error)) return "timeout"
  return isConflict(error) ? "conflict" : isDisconnection(error) ? "disconnection" : undefined
}

/**
 * Counts a transaction that PostgreSQL ended. Conflicts are everyday; what else ends a server's is logged, and a command, whose
 * statements have no deadline, says it itself.
 */
const report = ({ deadlineMs }: Target, tried: Tried<unknown, unknown>): Effect.Effect<void> => {
  const reason = endOf(tried)
  if (reason === undefined) return Effect.void
  const counted = countEndedTransaction(reason)
  if (reason === "conflict" || deadlineMs === undefined) return counted
  const cause = Exit.isFailure(tried.exit) ? Cause.squash(tried.exit.cause) : undefined
  const fields = { reason, in_doubt: tried.isInDoubt, error: cause instanceof Error ? cause.message : String(cause) }
  return Effect.andThen(
    counted,
    Effect.annotateLogs(Effect.logWarning("A transaction was ended by the database"), fields)
  )
}

/** Runs a body once, in a transaction if `begin` has statements. */
const attempt = <A, E, R>(
  target: Target,
  body: Body<A, E, R>,
  begin: ReadonlyArray<string>
): Effect.Effect<Tried<A, E>, never, R> =>
  Effect.tap(
    Effect.uninterruptibleMask((restore) => attemptWith(target, restore, body, begin)),
    (tried) => report(target, tried)
  )

/** A body that was ended by a conflict each time is `StoreBusy`. */
const busyAfter = <A, E>(tries: number, { exit }: Tried<A, E>): Effect.Effect<A, E> =>
  Effect.die(
    Object.assign(new StoreBusy({ tries }), { cause: Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined })
  )

/** Runs a body again while its result is a reason to, up to the maximum. */
const repeat = Effect.fnUntraced(function* <A, E, R>(
  target: Target,
  body: Body<A, E, R>,
  begin: Begin,
  first: Tried<A, E>
): Effect.fn.Return<A, E, R> {
  let tried = first
  let reconnections = 0
  for (let tries = 1; ; tries++) {
    const reason = reasonToRepeat(tried)
    if (reason === undefined || (reason === "disconnection" && ++reconnections > maxReconnections))
      return yield* tried.exit
    if (tries === maxTries) return yield* reason === "conflict" ? busyAfter(tries, tried) : tried.exit
    if (tries > 1) yield* onWallClock(Effect.sleep(Math.random() * Math.min(50, 2 ** tries)))
    tried = yield* attempt(target, body, tries < aloneFromTry ? begin.shared : begin.alone)
  }
})

/**
 * Transactions on a pool of connections (docs/adr/0020-transactions-on-postgresql.md). `serializable` ones have the same effect as
 * if they had run one after another, as on SQLite: PostgreSQL ends those that conflict, and their bodies run again.
 * `readCommitted` ones see what others commit between their statements, and wait for locked rows; they run again after a deadlock.
 */
export class Transactions {
  private readonly target: Target
  /** Repeated transactions run one at a time in this process: they would conflict with each other. */
  private readonly repeating = Semaphore.makeUnsafe(1)

  constructor(target: Target) {
    this.target = target
  }

  serializable<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, serializable)
  }

  readCommitted<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, readCommitted)
  }

  /** Runs the body without a transaction around it: each of its statements commits by itself. */
  autocommit<A, E, R>(body: Body<A, E, R>): Effect.Effect<A, E, R> {
    return this.run(body, autocommit)
  }

  private run<A, E, R>(body: Body<A, E, R>, begin: Begin): Effect.Effect<A, E, R> {
    const { target } = this
    return Effect.flatMap(attempt(target, body, begin.shared), (tried) =>
      reasonToRepeat(tried) === undefined
        ? tried.exit
        : this.repeating.withPermits(1)(repeat(target, body, begin, tried))
    )
  }
}
