import { Context, Effect } from "effect"

/** A change of a record: its kind and key, without its content. */
export type Change =
  | {
      readonly kind: "recording" | "transcript"
      readonly accountId: number
      /** The member that may see it; null: admins only; `any`: all users of the account. */
      readonly ownerId: number | null | "any"
      readonly data: Readonly<Record<string, string | boolean | null>>
    }
  | {
      readonly kind: "delivery" | "attempt"
      readonly accountId: number
      readonly data: Readonly<Record<string, string | number | null>>
    }
  /** Permissions may have changed: readers authenticate again. Readers do not get this change. */
  | { readonly kind: "access" }

export type PublicChange = Exclude<Change, { readonly kind: "access" }>

/** A change and its id, for readers. `change` is null if changes were missed. */
export type ChangeNotice =
  | { readonly id: string; readonly change: PublicChange }
  | { readonly id: string; readonly change: null }

/** Reason why a reader is cut off. */
export type CutReason = "slow_reader" | "shutting_down"

/** The number of changes kept for readers that reconnect, and the maximum that waits for one reader. */
export const maxKeptChanges = 10_000
export const maxWaitingChanges = 1_000

/** One reader of changes, with the changes that wait for it. */
export class ChangeReader {
  waiting: Array<ChangeNotice> = []
  cut: CutReason | null = null
  mustIdentify = false
  readonly isFor: (change: PublicChange) => boolean
  private wake: (() => void) | null = null

  constructor(isFor: ChangeReader["isFor"]) {
    this.isFor = isFor
  }

  get hasNews(): boolean {
    return this.waiting.length > 0 || this.cut !== null || this.mustIdentify
  }

  /** Calls `wake` once there is news. Replaces the callback before. */
  onNews(wake: (() => void) | null) {
    this.wake = wake
    if (this.hasNews) this.notify()
  }

  notify() {
    const wake = this.wake
    this.wake = null
    wake?.()
  }

  add(notice: ChangeNotice) {
    if (this.cut !== null) return
    if (this.waiting.length < maxWaitingChanges) this.waiting.push(notice)
    else {
      this.waiting = []
      this.cut = "slow_reader"
    }
    this.notify()
  }

  take(): ReadonlyArray<ChangeNotice> {
    const taken = this.waiting
    this.waiting = []
    return taken
  }
}

/** Runs `body` so that it is written completely or not at all. */
export type Transaction = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Changes of a transaction so far, which are published when it has committed. */
interface Pending {
  readonly log: ChangeLog
  readonly changes: Array<Change>
  isOver: boolean
}

const CurrentPending = Context.Reference<Pending | null>("@tapedeck/core/changes/Pending", {
  defaultValue: () => null
})

/**
 * The latest changes of this process's store and of its peers, in memory. After a restart, and where more was missed than is kept,
 * a reader gets a notice without a change. Numbers are those of one process; `epoch` names the process.
 */
export class ChangeLog {
  readonly readers = new Set<ChangeReader>()
  private kept: Array<PublicChange | null> = []
  private first = 1
  private isEnding = false
  private readonly forwards = new Set<(changes: ReadonlyArray<Change>) => void>()
  private readonly epoch: string

  constructor(epoch: string) {
    this.epoch = epoch
  }

  get lastId(): string {
    return this.idOf(this.first + this.kept.length - 1)
  }

  private idOf(number: number): string {
    return `${this.epoch}-${number}`
  }

  /** Changes that were committed here. */
  publish(changes: ReadonlyArray<Change>) {
    if (changes.length === 0) return
    this.add(changes)
    for (const forward of this.forwards) forward(changes)
  }

  private pendingOf(context: Context.Context<never>): Pending | null {
    const pending = Context.get(context, CurrentPending)
    return pending !== null && pending.log === this && !pending.isOver ? pending : null
  }

  /** Publishes changes when the transaction that they are made in has committed; outside of one, at once. */
  publishOnCommit(made: Change | ReadonlyArray<Change>): Effect.Effect<void> {
    return Effect.withFiber((fiber) => {
      const changes = "kind" in made ? [made] : made
      const pending = this.pendingOf(fiber.context)
      if (pending === null) this.publish(changes)
      else pending.changes.push(...changes)
      return Effect.void
    })
  }

  /** Returns a store's `transaction` that publishes what `publishOnCommit` was given in it, once, if it commits. */
  publishing(transaction: Transaction): Transaction {
    return (body) =>
      Effect.withFiber((fiber) => {
        if (this.pendingOf(fiber.context) !== null) return transaction(body)
        let pending: Pending = { log: this, changes: [], isOver: false }
        // A store may run the body again: what the run before changed was not committed.
        const once = Effect.suspend(() => {
          pending.isOver = true
          pending = { log: this, changes: [], isOver: false }
          return Effect.provideService(body, CurrentPending, pending)
        })
        return Effect.onExit(transaction(once), (exit) => {
          pending.isOver = true
          if (exit._tag === "Success") this.publish(pending.changes)
          return Effect.void
        })
      })
  }

  /** Changes of another process; null: some were lost. */
  receive(changes: ReadonlyArray<Change> | null) {
    if (changes === null) this.keep(null)
    else this.add(changes)
  }

  /** Calls `forward` with each published list of changes. */
  onPublish(forward: (changes: ReadonlyArray<Change>) => void) {
    this.forwards.add(forward)
  }

  private add(changes: ReadonlyArray<Change>) {
    for (const change of changes) {
      if (change.kind !== "access") this.keep(change)
      else {
        for (const reader of this.readers) {
          reader.mustIdentify = true
          reader.notify()
        }
      }
    }
  }

  private keep(change: PublicChange | null) {
    this.kept.push(change)
    if (this.kept.length > 2 * maxKeptChanges) {
      this.first += maxKeptChanges
      this.kept = this.kept.slice(maxKeptChanges)
    }
    const id = this.lastId
    for (const reader of this.readers) if (change === null || reader.isFor(change)) reader.add({ id, change })
  }

  /** Adds a reader. It first gets the changes after `lastId`, or a notice without a change where those are no longer kept. */
  open(lastId: string | undefined, isFor: ChangeReader["isFor"]): ChangeReader {
    const reader = new ChangeReader(isFor)
    this.readers.add(reader)
    if (this.isEnding) reader.cut = "shutting_down"
    if (lastId === undefined) return reader
    const number = lastId.startsWith(`${this.epoch}-`) ? Number(lastId.slice(this.epoch.length + 1)) : -1
    const from = number + 1 - this.first
    const missed = from >= 0 && from <= this.kept.length ? this.kept.slice(from) : null
    if (missed === null || missed.length > maxWaitingChanges) reader.add({ id: this.lastId, change: null })
    else {
      for (const [index, change] of missed.entries()) {
        if (change === null || isFor(change)) reader.add({ id: this.idOf(number + 1 + index), change })
      }
    }
    return reader
  }

  close(reader: ChangeReader) {
    this.readers.delete(reader)
  }

  /** Cuts off all readers, also later ones: the process stops. */
  end() {
    this.isEnding = true
    for (const reader of this.readers) {
      reader.cut = "shutting_down"
      reader.notify()
    }
  }
}
