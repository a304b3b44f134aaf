import { Deferred, Effect, type Scope, Stream } from "effect"

/**
 * Reads of this process, whose content must stay until they end. A stream that never begins, because its request was cancelled, ends
 * when it is garbage-collected.
 */
export class OpenReads {
  private readonly counts = new Map<string, number>()
  /** Lookups in flight, whose content is not known yet. */
  private readonly lookups = new Set<Deferred.Deferred<void>>()
  private readonly abandoned: FinalizationRegistry<string>
  private readonly onEnd: (key: string) => void

  /** `onEnd` is called when the last read of a content has ended. */
  constructor(onEnd: (key: string) => void) {
    this.onEnd = onEnd
    this.abandoned = new FinalizationRegistry((key) => this.end(key))
  }

  has(key: string): boolean {
    return this.counts.has(key)
  }

  /** Waits until the lookups that are in flight now have ended: `has` then knows what they found. */
  readonly awaitLookups: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach([...this.lookups], Deferred.await, { discard: true })
  )

  /** Runs a lookup, within which `stream` is called. */
  lookUp<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const lookup = Deferred.makeUnsafe<void>()
        this.lookups.add(lookup)
        return lookup
      }),
      () => effect,
      (lookup) => {
        this.lookups.delete(lookup)
        return Deferred.succeed(lookup, undefined)
      }
    )
  }

  /** A stream that opens the content when it begins. Call it within `lookUp`. It is read once. */
  stream(key: string, open: Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>): Stream.Stream<Uint8Array> {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    const read = { hasEnded: false }
    this.abandoned.register(read, key, read)
    const end = Effect.sync(() => {
      if (read.hasEnded) return
      read.hasEnded = true
      this.abandoned.unregister(read)
      this.end(key)
    })
    return Stream.unwrap(
      Effect.andThen(
        Effect.addFinalizer(() => end),
        open
      )
    )
  }

  private end(key: string) {
    const count = (this.counts.get(key) ?? 1) - 1
    if (count > 0) return void this.counts.set(key, count)
    this.counts.delete(key)
    this.onEnd(key)
  }
}
