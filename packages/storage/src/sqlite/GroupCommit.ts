import { StorageFull } from "@tapedeck/core"
import { Cause, Deferred, Effect, Exit } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { defectOf, sqlErrorOf } from "./errors.ts"

/** Maximum number of transactions that share a commit, which limits how long the first waits for the last. */
const maxMembers = 256

/** Transactions that share a commit. */
interface Group {
  members: number
  readonly committed: Deferred.Deferred<void>
  readonly callbacks: Set<() => void>
}

/** A running transaction. */
export interface Member {
  /** True after the body has ended: a fiber that it left behind is no longer part of the transaction. */
  isOver: boolean
  /** Called after the group's commit. */
  readonly callbacks: Set<() => void>
}

/** The only connection that writes. */
interface Writer {
  readonly file: string
  readonly isInTransaction: boolean
  /** Throws a `SqlError`. */
  readonly run: (sql: string) => unknown
}

interface Waiter {
  granted: boolean
  readonly resume: () => void
}

/**
 * The transactions of one writer. Their bodies run one after another, each in its own savepoint, and those that wait for their turn
 * share one `COMMIT`. A body that fails is rolled back alone.
 */
export class GroupCommit {
  private readonly writer: Writer
  private isBusy = false
  private readonly waiters: Array<Waiter> = []
  private group: Group | undefined
  /** The last group had several members: more may follow. */
  private wasShared = false
  /** The fiber of the last transaction, and whether the one before was of another fiber. */
  private lastFiber = -1
  private areSeveral = false
  private readonly granted: Array<Waiter> = []
  private isGranting = false

  constructor(writer: Writer) {
    this.writer = writer
  }

  /** Dies with a `SqlError` if the transaction cannot begin or commit; it is rolled back then. */
  run<A, E, R>(body: (member: Member) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.turn(restore), (fiber) => {
        this.areSeveral = fiber !== this.lastFiber
        this.lastFiber = fiber
        let group: Group
        try {
          group = this.begin()
        } catch (error) {
          this.passOn()
          return Effect.die(defectOf(error as SqlError, this.writer.file))
        }
        const member: Member = { isOver: false, callbacks: new Set() }
        return Effect.flatMap(Effect.exit(restore(Effect.suspend(() => body(member)))), (exit) =>
          Effect.andThen(this.end(group, member, exit), exit)
        )
      })
    )
  }

  /** Waits for the transaction's turn, and returns the fiber's id. */
  private turn(restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>): Effect.Effect<number> {
    return Effect.withFiber(({ id }) => {
      if (!this.isBusy) {
        this.isBusy = true
        return Effect.succeed(id)
      }
      let waiter: Waiter
      const wait = Effect.callback<void>((resume) => {
        waiter = { granted: false, resume: () => resume(Effect.void) }
        this.waiters.push(waiter)
      })
      return Effect.onExit(Effect.as(restore(wait), id), (exit) => {
        if (Exit.isSuccess(exit) || waiter === undefined) return Effect.void
        return Effect.sync(() => {
          // The waiter was interrupted: the next transaction gets its turn.
          if (waiter.granted) this.passOn()
          else this.waiters.splice(this.waiters.indexOf(waiter), 1)
        })
      })
    })
  }

  private begin(): Group {
    if (this.group === undefined) {
      // A rollback failed before.
      if (this.writer.isInTransaction) this.writer.run("ROLLBACK")
      this.writer.run("BEGIN IMMEDIATE")
      this.group = { members: 0, committed: Deferred.makeUnsafe(), callbacks: new Set() }
    }
    this.writer.run("SAVEPOINT member")
    return this.group
  }

  private end(group: Group, member: Member, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    member.isOver = true
    group.members++
    try {
      if (!this.writer.isInTransaction) throw sqlErrorOf(new Error("the transaction was rolled back"), this.writer.file)
      if (Exit.isSuccess(exit)) for (const callback of member.callbacks) group.callbacks.add(callback)
      else this.writer.run("ROLLBACK TO member")
      this.writer.run("RELEASE member")
    } catch (error) {
      this.abandon(failureIn(exit) ?? defectOf(error as SqlError, this.writer.file))
    }
    return Effect.suspend(() => {
      // Lets fibers that are ready to run join the group before its commit, unless there is only one fiber.
      if (this.waiters.length === 0 && (this.areSeveral || this.wasShared))
        return Effect.andThen(Effect.yieldNow, this.leave(group))
      return this.leave(group)
    })
  }

  private leave(group: Group): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.passOn()
      return Deferred.await(group.committed)
    })
  }

  /** Gives the turn to the next transaction, after a commit if none waits or the group is full. */
  private passOn() {
    if (this.group !== undefined && (this.waiters.length === 0 || this.group.members >= maxMembers)) this.commit()
    const next = this.waiters.shift()
    if (next === undefined) this.isBusy = false
    else this.grant(next)
  }

  /** Grants in a loop, not recursively: a body that does not wait would run inside the one before it. */
  private grant(waiter: Waiter) {
    waiter.granted = true
    this.granted.push(waiter)
    if (this.isGranting) return
    this.isGranting = true
    for (let next = this.granted.shift(); next !== undefined; next = this.granted.shift()) next.resume()
    this.isGranting = false
  }

  private commit() {
    const group = this.group
    if (group === undefined) return
    try {
      this.writer.run("COMMIT")
    } catch (error) {
      return this.abandon(defectOf(error as SqlError, this.writer.file))
    }
    this.group = undefined
    this.wasShared = group.members > 1
    for (const callback of group.callbacks) callback()
    Deferred.doneUnsafe(group.committed, Effect.void)
  }

  /** Rolls back the group and fails all its members. */
  private abandon(why: StorageFull | SqlError) {
    const group = this.group
    this.group = undefined
    try {
      if (this.writer.isInTransaction) this.writer.run("ROLLBACK")
    } catch {
      // `begin` tries again.
    }
    if (group !== undefined) Deferred.doneUnsafe(group.committed, Effect.die(why))
  }
}

/** The database's error with which a body failed. On some errors, such as a full disk, SQLite rolls back the whole transaction. */
const failureIn = (exit: Exit.Exit<unknown, unknown>): StorageFull | SqlError | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  for (const reason of exit.cause.reasons) {
    if (!Cause.isDieReason(reason)) continue
    if (reason.defect instanceof StorageFull || isSqlError(reason.defect)) return reason.defect
  }
  return undefined
}
