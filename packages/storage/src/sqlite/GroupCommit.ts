import { StorageFull } from "@tapedeck/core"
import { Cause, Deferred, Effect, Exit } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { defectOf, sqlErrorOf } from "./trouble.ts"

/** A commit waits for the disk: this many share one at most, so that nobody waits for too many others. */
const MOST_MEMBERS = 256

/** Transactions that will be committed as one. */
interface Group {
  members: number
  readonly committed: Deferred.Deferred<void>
  readonly callbacks: Set<() => void>
}

/** What a transaction may ask for while its body runs. */
export interface Member {
  /** Whether its body has ended: a fiber that the body left behind is in it no more. */
  over: boolean
  /** Run once the group is committed. */
  readonly callbacks: Set<() => void>
}

/** A connection that nobody else writes with. */
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
 * One writer's transactions: their bodies run one after another, each in a savepoint of its own, and those that wait for
 * their turn meanwhile share one `COMMIT`. A body that fails takes back what it wrote, and nothing of the others'.
 */
export class GroupCommit {
  private readonly writer: Writer
  private busy = false
  private readonly waiters: Array<Waiter> = []
  private group: Group | undefined
  /** The last group had several members: more may come. */
  private wasShared = false
  /** The fiber of the last transaction, and whether the one before it was another's. */
  private lastFiber = -1
  private areSeveral = false
  private readonly granted: Array<Waiter> = []
  private isGranting = false

  constructor(writer: Writer) {
    this.writer = writer
  }

  /** Dies with a `SqlError` when the database cannot begin or commit: nothing of it is kept then. */
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
        const member: Member = { over: false, callbacks: new Set() }
        return Effect.flatMap(Effect.exit(restore(Effect.suspend(() => body(member)))), (exit) =>
          Effect.andThen(this.end(group, member, exit), exit)
        )
      })
    )
  }

  /** Waits for it, and gives the fiber's number. */
  private turn(restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>): Effect.Effect<number> {
    return Effect.withFiber(({ id }) => {
      if (!this.busy) {
        this.busy = true
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
          // Interrupted: its turn is the next one's.
          if (waiter.granted) this.passOn()
          else this.waiters.splice(this.waiters.indexOf(waiter), 1)
        })
      })
    })
  }

  private begin(): Group {
    if (this.group === undefined) {
      // Left by a rollback that failed.
      if (this.writer.isInTransaction) this.writer.run("ROLLBACK")
      this.writer.run("BEGIN IMMEDIATE")
      this.group = { members: 0, committed: Deferred.makeUnsafe(), callbacks: new Set() }
    }
    this.writer.run("SAVEPOINT member")
    return this.group
  }

  private end(group: Group, member: Member, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    member.over = true
    group.members++
    try {
      if (!this.writer.isInTransaction) throw sqlErrorOf(new Error("the transaction was given up"), this.writer.file)
      if (Exit.isSuccess(exit)) for (const callback of member.callbacks) group.callbacks.add(callback)
      else this.writer.run("ROLLBACK TO member")
      this.writer.run("RELEASE member")
    } catch (error) {
      this.abandon(failureIn(exit) ?? defectOf(error as SqlError, this.writer.file))
    }
    return Effect.suspend(() => {
      // Whoever is ready to run gets to join before the disk is waited for; one fiber alone has nobody to wait for.
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

  /** The next one's turn, in this group while it has room for it. */
  private passOn() {
    if (this.group !== undefined && (this.waiters.length === 0 || this.group.members >= MOST_MEMBERS)) this.commit()
    const next = this.waiters.shift()
    if (next === undefined) this.busy = false
    else this.grant(next)
  }

  /** One after another and not one inside another: a body that does not wait would run inside the one before it. */
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

  /** Nothing of the group is kept, and each of its members is told why. */
  private abandon(why: StorageFull | SqlError) {
    const group = this.group
    this.group = undefined
    try {
      if (this.writer.isInTransaction) this.writer.run("ROLLBACK")
    } catch {
      // Whoever begins next tries again.
    }
    if (group !== undefined) Deferred.doneUnsafe(group.committed, Effect.die(why))
  }
}

/** What the database refused a body. On some errors, a full disk among them, SQLite gives up the whole transaction by itself. */
const failureIn = (exit: Exit.Exit<unknown, unknown>): StorageFull | SqlError | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  for (const reason of exit.cause.reasons) {
    if (!Cause.isDieReason(reason)) continue
    if (reason.defect instanceof StorageFull || isSqlError(reason.defect)) return reason.defect
  }
  return undefined
}
