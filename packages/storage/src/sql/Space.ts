import { StorageFull, type StorageSpace } from "@tapedeck/core"
import { Effect, Semaphore } from "effect"
import type { FileBytes } from "../files/FileBytes.ts"
import type { Database } from "./Database.ts"

/** A probe writes: that is not done more often, whoever asks. */
const probeEveryMs = 1_000

/**
 * Notes when a write finds no space. From then on it is full until `probe`, which dies with `StorageFull` where there is no
 * space, finds some.
 */
export class Space implements StorageSpace {
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
        // What else is wrong with the store is not a matter of space.
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

  /** Notes it when the effect dies for want of space. */
  readonly watch = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapDefect(effect, (defect) => (defect instanceof StorageFull ? this.ranOut : Effect.void))

  watchDatabase(database: Database): Database {
    const { apart, fenced, transaction, write } = database
    return {
      ...database,
      transaction: (body) => this.watch(transaction(body)),
      write: (body) => this.watch(write(body)),
      fenced: (body) => this.watch(fenced(body)),
      ...(apart !== undefined && { apart: (body) => this.watch(apart(body)) })
    }
  }

  watchFiles(bytes: FileBytes["Service"]): FileBytes["Service"] {
    return {
      ...bytes,
      receive: (stream) => this.watch(bytes.receive(stream)),
      place: (received) => this.watch(bytes.place(received))
    }
  }
}
