import { Effect, Latch, Semaphore, Stream } from "effect"
import type { FileBytes } from "../../files/FileBytes.ts"
import type { Database } from "../Database.ts"
import type { Readings } from "./Readings.ts"
import { askedAtOnce, type FileRows } from "./rows.ts"

export interface CollectorParts {
  readonly bytes: FileBytes["Service"]
  readonly database: Database
  readonly rows: FileRows
}

/** In a bucket each is a request. */
const freedAtOnce = 8

/**
 * Removes content that no file has. It can go wrong in one direction only: content stays that nobody needs.
 *
 * Content is unused, then condemned, and both are committed before it is taken from its place: a commit that fails (a full
 * disk) takes back a release, and then the bytes must still be there. Whoever gets the same content meanwhile takes the
 * sentence back, in a transaction before or after the one that carries it out; and puts its own copy in the place, so that
 * the order of the two does not matter. A crash after each step finds, at the next start:
 *  - content that is unused or condemned, with its bytes or without: it is collected then;
 *  - bytes under a temporary name (`.gone`): `FileBytes.clean` removes them;
 *  - bytes in their place without a row (the crash came after `place` and before the commit, or after the commit of a
 *    removal whose rename had not reached the disk): `findOrphans` puts them on the list.
 */
export class Collector {
  /** Content that was put in its place by a transaction that may have failed. */
  readonly suspects = new Set<string>()
  private readonly parts: CollectorParts
  private readonly awake = Latch.makeUnsafe(true)
  private readonly alone = Semaphore.makeUnsafe(1)
  /** Something is condemned, and somebody is about to read it. */
  private waits = false

  constructor(parts: CollectorParts) {
    this.parts = parts
  }

  readonly wake = () => {
    this.awake.openUnsafe()
  }

  readonly readingEnded = () => {
    if (this.waits) this.wake()
  }

  /** Works for as long as it is let, whenever there is something to do. What fails is tried again then. */
  run(readings: Readings): Effect.Effect<never> {
    const round = Effect.gen({ self: this }, function* () {
      yield* this.awake.await
      this.awake.closeUnsafe()
      yield* Effect.catchCause(this.collect(readings), (cause) =>
        Effect.logWarning("Files that nobody needs could not be removed; it is tried again later", cause)
      )
    })
    return Effect.forever(round)
  }

  collect(readings: Readings): Effect.Effect<void> {
    return this.alone.withPermits(1)(
      Effect.gen({ self: this }, function* () {
        const { database, rows } = this.parts
        yield* this.report()
        if (!(yield* database.read(rows.hasUnused))) return
        yield* database.fenced(rows.condemn)
        const freeing = yield* database.fenced(this.execute(readings))
        yield* Effect.forEach(freeing, (free) => free, { concurrency: freedAtOnce, discard: true })
      })
    )
  }

  private report() {
    return Effect.suspend(() => {
      const { database, rows } = this.parts
      const suspects = [...this.suspects]
      if (suspects.length === 0) return Effect.void
      return Effect.andThen(
        database.write(Effect.forEach(suspects, rows.suspect, { discard: true })),
        Effect.sync(() => {
          for (const sha256 of suspects) this.suspects.delete(sha256)
        })
      )
    })
  }

  private execute = Effect.fnUntraced({ self: this }, function* (readings: Readings) {
    const { bytes, rows } = this.parts
    const freeing: Array<Effect.Effect<void>> = []
    this.waits = false
    for (const sha256 of yield* Effect.orDie(rows.condemned)) {
      if (readings.holds(sha256)) this.waits = true
      else {
        freeing.push(yield* bytes.retire(sha256))
        yield* Effect.orDie(rows.forget(sha256))
      }
    }
    return freeing
  })

  /** Looks through all content that is in its place for what no row knows. */
  readonly findOrphans: Effect.Effect<void> = Effect.suspend(() => {
    const { bytes, database, rows } = this.parts
    return Stream.runForEachArray(Stream.rechunk(bytes.list, askedAtOnce), (contents) =>
      Effect.gen({ self: this }, function* () {
        // What a transaction that is under way has just put there is taken for one, and is none once `report` runs.
        for (const sha256 of yield* database.read(rows.unknownAmong(contents))) this.suspects.add(sha256)
        if (this.suspects.size > 0) this.wake()
      })
    )
  })
}
