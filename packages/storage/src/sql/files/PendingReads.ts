import { Effect, type Scope, Stream } from "effect"

/**
 * Streams that were returned and have not begun: their content must stay. A stream that has begun has the file open, and needs no
 * name. A stream that never begins, because its request was cancelled, ends when it is garbage-collected.
 */
export class PendingReads {
  private readonly pending = new Map<string, number>()
  /** The number of lookups in flight, whose content is not known yet. */
  private lookups = 0
  private readonly abandoned: FinalizationRegistry<string>
  private readonly onEnd: () => void

  /** `onEnd` is called when content may have become free. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd
    this.abandoned = new FinalizationRegistry((sha256) => this.end(sha256))
  }

  has(sha256: string): boolean {
    return this.lookups > 0 || this.pending.has(sha256)
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

  /** A stream that opens the content when it begins. Call it within `lookUp`. */
  stream(
    sha256: string,
    open: Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>
  ): Stream.Stream<Uint8Array> {
    this.pending.set(sha256, (this.pending.get(sha256) ?? 0) + 1)
    const read = { hasBegun: false }
    this.abandoned.register(read, sha256, read)
    const begin = Effect.sync(() => {
      if (read.hasBegun) return
      read.hasBegun = true
      this.abandoned.unregister(read)
      this.end(sha256)
    })
    return Stream.unwrap(Effect.ensuring(open, begin))
  }

  private end(sha256: string) {
    const count = (this.pending.get(sha256) ?? 1) - 1
    if (count > 0) this.pending.set(sha256, count)
    else this.pending.delete(sha256)
    this.onEnd()
  }
}
