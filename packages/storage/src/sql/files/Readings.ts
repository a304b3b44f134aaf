import { Effect, type Scope, Stream } from "effect"

/**
 * Readings that were asked for and have not begun: their content must stay. One that has begun has the file open, and goes on
 * without a name. One that is never begun, because whoever asked has gone, ends when it is collected as garbage.
 */
export class Readings {
  private readonly held = new Map<string, number>()
  /** Of look-ups that are under way: nobody knows yet which content they will hold. */
  private looking = 0
  private readonly forgotten: FinalizationRegistry<string>
  private readonly onEnd: () => void

  /** `onEnd` is called when what was held may be free. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd
    this.forgotten = new FinalizationRegistry((sha256) => this.end(sha256))
  }

  holds(sha256: string): boolean {
    return this.looking > 0 || this.held.has(sha256)
  }

  /** Looks up what is to be read; from the look-up on it is held. */
  lookUp<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      this.looking++
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          this.looking--
          if (this.looking === 0) this.onEnd()
        })
      )
    })
  }

  /** A stream of what is opened as it begins; until then the content is held. To be called within `lookUp`. */
  hold(sha256: string, open: Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>): Stream.Stream<Uint8Array> {
    this.held.set(sha256, (this.held.get(sha256) ?? 0) + 1)
    const reading = { begun: false }
    this.forgotten.register(reading, sha256, reading)
    const begin = Effect.sync(() => {
      if (reading.begun) return
      reading.begun = true
      this.forgotten.unregister(reading)
      this.end(sha256)
    })
    return Stream.unwrap(Effect.ensuring(open, begin))
  }

  private end(sha256: string) {
    const count = (this.held.get(sha256) ?? 1) - 1
    if (count > 0) this.held.set(sha256, count)
    else this.held.delete(sha256)
    this.onEnd()
  }
}
