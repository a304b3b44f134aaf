import { type Due, now, Store, Transcripts } from "@tapedeck/core"
import { Effect, Fiber, FiberSet } from "effect"
import { Dispatcher, leaseMs } from "./Dispatcher.ts"

/** How many attempts one worker has in hand at a time. */
const concurrency = 64

/** What is relied on when nobody tells of new work. */
const pollMs = 1_000

/**
 * The driver of the server: runs what is due by the clock on the wall, for ever. Attempts run side by side; the loop
 * sleeps until the next one is due, or until the agenda changes.
 */
export const worker = Effect.gen(function* () {
  const store = yield* Store
  const transcripts = yield* Transcripts
  const dispatcher = yield* Dispatcher
  const underWay = yield* FiberSet.make()

  const fire = Effect.gen(function* () {
    for (const step of yield* store.transcriptSteps.take(concurrency)) yield* transcripts.step(step)
    const free = concurrency - (yield* FiberSet.size(underWay))
    if (free === 0) return false
    for (const claim of yield* store.deliveries.claim({ limit: free, leaseMs })) {
      const attempt = Effect.catchCause(dispatcher.perform(claim), (cause) =>
        Effect.logError(`attempt of delivery ${claim.delivery.id} broke off; its lease will end`, cause)
      )
      yield* FiberSet.run(underWay, attempt)
    }
    return true
  })

  /** While all hands are full, what is due waits for an attempt to end, which changes the agenda. */
  const waitMs = (hadHandsFree: boolean, next: Due | undefined, at: number) =>
    !hadHandsFree || next === undefined ? pollMs : Math.max(1, Math.min(pollMs, next.at - at))

  /** Gives how long to wait then. The worker outlives a store that breaks off, and asks it again. */
  const fireAll = Effect.gen(function* () {
    const hadHandsFree = yield* fire
    return waitMs(hadHandsFree, yield* store.agenda.next, yield* now)
  }).pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logError("the store broke off; asking it again", cause), pollMs))
  )

  const turn = Effect.gen(function* () {
    const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
    const wait = yield* fireAll
    yield* Effect.raceFirst(Effect.sleep(wait), Fiber.join(changed))
    yield* Fiber.interrupt(changed)
  })

  return yield* Effect.forever(turn)
})
