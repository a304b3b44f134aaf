import { Effect, Latch, Semaphore, Stream } from "effect"
import type { FileBytes } from "../../files/FileBytes.ts"
import type { Database } from "../Database.ts"
import type { PendingReads } from "./PendingReads.ts"
import { type FileRows, maxLookups } from "./rows.ts"

export interface CollectorParts {
  readonly bytes: FileBytes["Service"]
  readonly database: Database
  readonly rows: FileRows
}

/** In a bucket, freeing content is a request. */
const freeConcurrency = 8

/**
 * Removes unused content. It can only err on the safe side: unused content may stay.
 *
 * Content is marked in one transaction, and removed in another, after that is committed: a commit that fails (a full disk) takes
 * back the release of a file, and then the content must still exist. If the same content is stored meanwhile, that transaction
 * unmarks it, and places its own copy, so the order of the two does not matter. After a crash the next start finds:
 *  - unused or marked content, with its bytes or without: it is collected;
 *  - bytes under a temporary name (`.gone`): `FileBytes.clean` removes them;
 *  - bytes without a row (a crash after `place` and before the commit, or after the commit of a removal whose rename was not
 *    durable): `findOrphans` adds a row.
 */
export class Collector {
  /** Content that was placed by a transaction that may have failed. */
  readonly uncommitted = new Set<string>()
  private readonly parts: CollectorParts
  private readonly awake = Latch.makeUnsafe(true)
  private readonly lock = Semaphore.makeUnsafe(1)
  /** A pending read delays the removal of marked content. */
  private isWaiting = false

  constructor(parts: CollectorParts) {
    this.parts = parts
  }

  readonly wake = () => {
    this.awake.openUnsafe()
  }

  readonly readEnded = () => {
    if (this.isWaiting) this.wake()
  }

  /** Collects forever, each time it is woken. A failed collection is repeated at the next one. */
  run(reads: PendingReads): Effect.Effect<never> {
    const collectOnce = Effect.gen({ self: this }, function* () {
      yield* this.awake.await
      this.awake.closeUnsafe()
      yield* Effect.catchCause(this.collect(reads), (cause) =>
        Effect.logWarning("Unused files could not be removed; retrying later", cause)
      )
    })
    return Effect.forever(collectOnce)
  }

  collect(reads: PendingReads): Effect.Effect<void> {
    return this.lock.withPermits(1)(
      Effect.gen({ self: this }, function* () {
        const { database, rows } = this.parts
        yield* this.recordUncommitted()
        if (!(yield* database.read(rows.hasUnused))) return
        yield* database.readCommitted(rows.markUnused)
        const freeing = yield* database.readCommitted(this.removeMarked(reads))
        yield* Effect.forEach(freeing, (free) => free, { concurrency: freeConcurrency, discard: true })
      })
    )
  }

  private recordUncommitted() {
    return Effect.suspend(() => {
      const { database, rows } = this.parts
      const uncommitted = [...this.uncommitted]
      if (uncommitted.length === 0) return Effect.void
      return Effect.andThen(
        database.write(Effect.forEach(uncommitted, rows.addUnused, { discard: true })),
        Effect.sync(() => {
          for (const sha256 of uncommitted) this.uncommitted.delete(sha256)
        })
      )
    })
  }

  private removeMarked = Effect.fnUntraced({ self: this }, function* (reads: PendingReads) {
    const { bytes, rows } = this.parts
    const freeing: Array<Effect.Effect<void>> = []
    this.isWaiting = false
    for (const sha256 of yield* Effect.orDie(rows.marked)) {
      if (reads.has(sha256)) this.isWaiting = true
      else {
        freeing.push(yield* bytes.retire(sha256))
        yield* Effect.orDie(rows.removeContent(sha256))
      }
    }
    return freeing
  })

  /** Finds content without a row. */
  readonly findOrphans: Effect.Effect<void> = Effect.suspend(() => {
    const { bytes, database, rows } = this.parts
    return Stream.runForEachArray(Stream.rechunk(bytes.list, maxLookups), (contents) =>
      Effect.gen({ self: this }, function* () {
        // Content of a transaction in flight is included; it has a row when `recordUncommitted` runs.
        for (const sha256 of yield* database.read(rows.withoutRow(contents))) this.uncommitted.add(sha256)
        if (this.uncommitted.size > 0) this.wake()
      })
    )
  })
}
