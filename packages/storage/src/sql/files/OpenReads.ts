import { Effect, type Scope, Stream } from "effect"

/**
 * Reads of this process, whose content must stay until they end. A stream that never begins, because its request was cancelled, ends
 * when it is garbage-collected.
 */
export class OpenReads {
  private readonly counts = new Map<string, number>()
  /** The number of lookups in flight, whose content is not known yet. */
  private lookups = 0
  private readonly abandoned: FinalizationRegistry<string>
  private readonly onEnd: () => void

  /** `onEnd` is called when content may have become free. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd
    this.abandoned = new FinalizationRegistry((key) => this.end(key))
  }

  has(key: string): boolean {
    return this.lookups > 0 || this.counts.has(key)
  }

  /** Runs a lookup. Until it ends, all content stays. */
  lookUp<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      this.lookups++
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          this.lookups--
          if (this.lookups === 0) this.onEnd()
        })
      )
    })
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
    if (count > 0) this.counts.set(key, count)
    else this.counts.delete(key)
    this.onEnd()
  }
}
