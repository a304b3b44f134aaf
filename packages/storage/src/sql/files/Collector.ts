import { Effect, Latch, Semaphore, Stream } from "effect"
import type { FileBytes } from "../../files/FileBytes.ts"
import { countFailedRemoval } from "../../metrics.ts"
import type { Database } from "../database/Database.ts"
import { inBatches } from "../database/inBatches.ts"
import type { OpenReads } from "./OpenReads.ts"
import { type FileRows, maxLookups, type Removal } from "./rows.ts"

export interface CollectorParts {
  readonly bytes: FileBytes["Service"]
  readonly database: Database
  readonly rows: FileRows
}

/** Removing content from a bucket is a request. */
const removeConcurrency = 8

/** Removals that became due without a wake: those of other processes, of uploads that never ended, and those that failed. */
const wakeInterval = "1 minute"

/** Another process may be about to read content that this one removes. */
const peerReadMs = 60_000

/** Content of which the database knows nothing may be of an older state of the database, to which others still have connections. */
const orphanMs = 24 * 3_600_000

/** Maximum time that a process takes for a removal, before another one does it too. */
const claimMs = 10 * 60_000

/**
 * Removes unused content. Each content without a row in `file_contents` has one in `content_removals`: it gets that before it is stored
 * (and loses it if a file refers to it within a day), or when no file refers to it any more. A removal is claimed in a transaction,
 * done outside of any, and its row is deleted last. Keys are used once, so a removal that is done twice or late removes nothing else.
 * Content of which the database knows nothing, as after a restore, gets a row when a search finds it.
 */
export class Collector {
  private readonly parts: CollectorParts
  private readonly awake = Latch.makeUnsafe(true)
  private readonly lock = Semaphore.makeUnsafe(1)
  /** Content whose removal a read delays. */
  private awaited = new Set<string>()

  constructor(parts: CollectorParts) {
    this.parts = parts
  }

  readonly wake = () => {
    this.awake.openUnsafe()
  }

  readonly readEnded = (key: string) => {
    if (this.awaited.has(key)) this.wake()
  }

  /** Collects forever, each time it is woken, and every minute. A failed collection is repeated at the next one. */
  run(reads: OpenReads): Effect.Effect<never> {
    const collectOnce = Effect.gen({ self: this }, function* () {
      yield* Effect.timeoutOption(this.awake.await, wakeInterval)
      this.awake.closeUnsafe()
      yield* Effect.catchCause(this.collect(reads), (cause) =>
        Effect.andThen(
          countFailedRemoval,
          Effect.logWarning("Unused files could not be removed; retrying later", cause)
        )
      )
    })
    return Effect.forever(collectOnce)
  }

  collect(reads: OpenReads): Effect.Effect<void> {
    return this.lock.withPermits(1)(
      Effect.gen({ self: this }, function* () {
        const { database, rows } = this.parts
        if (yield* database.read(rows.hasUnused)) yield* this.scheduleUnused
        for (;;) {
          const due = yield* database.read(rows.dueRemovals)
          // A lookup that begins now finds none of these.
          yield* reads.awaitLookups
          this.awaited = new Set(due.map(({ key }) => key).filter((key) => reads.has(key)))
          const free = due.filter(({ key }) => !this.awaited.has(key))
          if (free.length === 0) return
          yield* Effect.forEach(free, (removal) => this.remove(removal), {
            concurrency: removeConcurrency,
            discard: true
          })
        }
      })
    )
  }

  /** Schedules the removal of content that no file has. */
  readonly scheduleUnused: Effect.Effect<void> = Effect.suspend(() => {
    const { database, rows } = this.parts
    return inBatches(database.readCommitted(rows.removeUnused(database.peers.isPossible ? peerReadMs : 0)))
  })

  private remove = Effect.fnUntraced({ self: this }, function* (removal: Removal) {
    const { bytes, database, rows } = this.parts
    if (!(yield* database.autocommit(rows.claimRemoval(removal, claimMs)))) return
    yield* Effect.matchCauseEffect(bytes.remove(removal.key), {
      onSuccess: () => database.autocommit(rows.forgetRemoval(removal.key)),
      // The others are not delayed; this one is repeated when the claim ends.
      onFailure: (cause) =>
        Effect.andThen(
          countFailedRemoval,
          Effect.annotateLogs(Effect.logWarning("Unused content could not be removed; retrying later", cause), {
            content: removal.key
          })
        )
    })
  })

  /** Finds content without a row. */
  readonly findOrphans: Effect.Effect<void> = Effect.suspend(() => {
    const { bytes, database, rows } = this.parts
    return Stream.runForEachArray(Stream.rechunk(bytes.list, maxLookups), (keys) =>
      Effect.gen({ self: this }, function* () {
        const unknown = yield* database.read(rows.withoutRow(keys))
        if (unknown.length === 0) return
        const delayMs = database.peers.isPossible ? orphanMs : 0
        yield* database.readCommitted(
          Effect.forEach(unknown, (key) => rows.addRemoval(key, delayMs), { discard: true })
        )
        this.wake()
      })
    )
  })
}
