import { StorageFull, type StorageSpace } from "@tapedeck/core"
import { Effect, Semaphore } from "effect"
import type { FileBytes } from "../../files/FileBytes.ts"
import type { Database } from "../database/Database.ts"

/** Minimum interval between probes, each of which writes. */
const probeEveryMs = 1_000

/**
 * Full from the first write that finds no space until a probe finds some. `probe` dies with `StorageFull` if there is none.
 */
export class SpaceMonitor implements StorageSpace {
  private full = false
  private probedAt = Number.NEGATIVE_INFINITY
  private readonly oneProbe = Semaphore.makeUnsafe(1)
  readonly isFull: Effect.Effect<boolean>
  readonly ranOut: Effect.Effect<void> = Effect.sync(() => {
    this.full = true
    this.probedAt = performance.now()
  })

  constructor(probe: Effect.Effect<void>) {
    const probing = Effect.suspend(() => {
      if (!this.full || performance.now() < this.probedAt + probeEveryMs) return Effect.succeed(this.full)
      this.probedAt = performance.now()
      return probe.pipe(
        Effect.as(false),
        // Other errors of the store say nothing about space.
        Effect.catchDefect((defect) => Effect.succeed(defect instanceof StorageFull)),
        Effect.tap((full) =>
          Effect.sync(() => {
            this.full = full
          })
        )
      )
    })
    this.isFull = Effect.suspend(() => (this.full ? this.oneProbe.withPermits(1)(probing) : Effect.succeed(false)))
  }

  /** Records it if the effect dies with `StorageFull`. */
  readonly watch = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapDefect(effect, (defect) => (defect instanceof StorageFull ? this.ranOut : Effect.void))

  watchDatabase(database: Database): Database {
    const { autocommit, readCommitted, transaction, write } = database
    return {
      ...database,
      transaction: (body) => this.watch(transaction(body)),
      write: (body) => this.watch(write(body)),
      readCommitted: (body) => this.watch(readCommitted(body)),
      autocommit: (body) => this.watch(autocommit(body))
    }
  }

  watchFiles(bytes: FileBytes["Service"]): FileBytes["Service"] {
    return {
      ...bytes,
      receive: (stream) => this.watch(bytes.receive(stream)),
      place: (received, key) => this.watch(bytes.place(received, key))
    }
  }
}
