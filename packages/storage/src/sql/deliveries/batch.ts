import { Effect, Exit, type Fiber } from "effect"

/** Maximum items of a batch, which limits how long the first one waits for the last. */
const maxBatch = 256

/** After a batch of at most this size there is no pause: the next items are few too. */
const smallBatch = 2
/** With this many items waiting there is no pause. */
const minBatchWithoutPause = 32

/** How a batch is formed. */
export interface Batching {
  /** After a batch, before the next: lets more items arrive where each batch is expensive. */
  readonly pause: Effect.Effect<void>
  /** Maximum number of concurrent batches. Another one starts only when a full batch waits. */
  readonly concurrency: number
}

interface Waiting<Item, A> {
  readonly item: Item
  readonly resume: (exit: Exit.Exit<A>) => void
}

/**
 * Runs `all` for batches of concurrent calls: the calls of one turn of the event loop, then those that came meanwhile. `all`
 * returns an exit for each item in order; if it fails, every item of the batch fails. A call waits for its exit and cannot be
 * interrupted.
 */
export const batched = <Item, A>(
  all: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A>>>,
  { concurrency, pause }: Batching
): ((item: Item, caller: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A>) => {
  let waiting: Array<Waiting<Item, A>> = []
  let running = 0

  const run = Effect.gen(function* () {
    // Fibers that are ready to run join the batch.
    yield* Effect.yieldNow
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      const exit = yield* Effect.exit(all(batch.map(({ item }) => item)))
      for (const [index, { resume }] of batch.entries()) {
        resume(Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause))
      }
      // The other running batch takes what is left, unless it is a full batch.
      if (running > 1 && waiting.length < maxBatch) break
      if (batch.length > smallBatch && waiting.length < minBatchWithoutPause) yield* pause
    }
    running--
  })

  return (item, { context }) =>
    Effect.uninterruptible(
      Effect.callback<A>((resume) => {
        waiting.push({ item, resume })
        if (running >= concurrency || (running > 0 && waiting.length < maxBatch)) return
        running++
        Effect.runForkWith(context)(run)
      })
    )
}
