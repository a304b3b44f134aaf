import { Effect, Exit, type Fiber } from "effect"

/** So many are done at once at most: nobody waits for too many others. */
const mostAtOnce = 256

/** Among this few there is no crowd: nobody waits for others. */
const few = 2
/** And for this many it is worth it already. */
const enough = 32

interface Waiting<Item, A> {
  readonly item: Item
  readonly resume: (exit: Exit.Exit<A>) => void
}

/** How it is done for a crowd. */
export interface Crowd {
  /** Let pass for more to come along, where each time costs much. */
  readonly pause: Effect.Effect<void>
  /** So many times side by side: one beside the first begins once as many wait as can be done at once. */
  readonly atATime: number
}

/**
 * Does what many ask for side by side for all of them at once: everything that is asked for in one turn of the event loop,
 * and then whatever was asked for meanwhile. `all` answers each, in their order; where it fails itself, it fails for each of
 * them. Whoever asks is answered, and waits for that.
 */
export const gathering = <Item, A>(
  all: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A>>>,
  { atATime, pause }: Crowd = { pause: Effect.void, atATime: 1 }
): ((item: Item, asking: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A>) => {
  let waiting: Array<Waiting<Item, A>> = []
  let running = 0

  const run = Effect.gen(function* () {
    // Whoever is ready to run gets to join.
    yield* Effect.yieldNow
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      const exit = yield* Effect.exit(all(batch.map(({ item }) => item)))
      for (const [index, { resume }] of batch.entries()) {
        resume(Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause))
      }
      // For fewer there is the other one.
      if (running > 1 && waiting.length < mostAtOnce) break
      if (batch.length > few && waiting.length < enough) yield* pause
    }
    running--
  })

  return (item, { context }) =>
    Effect.uninterruptible(
      Effect.callback<A>((resume) => {
        waiting.push({ item, resume })
        if (running >= atATime || (running > 0 && waiting.length < mostAtOnce)) return
        running++
        Effect.runForkWith(context)(run)
      })
    )
}
