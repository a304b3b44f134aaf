import { type Claim, laneOf, now, Store, Transcripts } from "@tapedeck/core"
import { Effect, Fiber, FiberSet, Queue } from "effect"
import { Dispatcher, leaseMs } from "./Dispatcher.ts"
import { type HandLimits, Hands } from "./Hands.ts"

export interface WorkerOptions extends HandLimits {
  /** How long a worker that is told to stop waits for the attempts that it has in hand. */
  readonly graceMs: number
}

const defaults: WorkerOptions = { concurrency: 256, perHost: 16, graceMs: 20_000 }

/** What is relied on when nobody tells of new work. */
const pollMs = 1_000

/** The same while something that is due has to wait for a hand: what falls due behind it is not to be seen. */
const pressedPollMs = 100

/** While there is a crowd, hands are filled by the eighth, or after so long: a claim costs as much for one as for many. */
const gatherMs = 5

/**
 * The driver of the server: runs what is due by the clock on the wall, for ever. Attempts run side by side; the loop
 * sleeps until the next one is due, until the agenda changes, or, while there is more to do than hands, until one is free.
 *
 * Interrupted, it claims nothing more, lets what is in hand end for a while, and gives the rest back: what was not sent
 * yet is due at once for whoever comes next, what was is a failed attempt.
 */
export const makeWorker = (options: Partial<WorkerOptions> = {}) =>
  Effect.gen(function* () {
    const { graceMs, ...limits } = { ...defaults, ...options }
    const store = yield* Store
    const transcripts = yield* Transcripts
    const dispatcher = yield* Dispatcher
    const hands = new Hands(limits)
    const freed = yield* Queue.sliding<void>(1)
    const underWay = yield* FiberSet.make()
    const grace = Effect.timeoutOrElse(FiberSet.awaitEmpty(underWay), {
      duration: graceMs,
      orElse: () => Effect.void
    })
    // In a fiber of its own: this one is interrupted, and would wait for nothing.
    yield* Effect.addFinalizer(() => Effect.flatMap(Effect.forkDetach(Effect.interruptible(grace)), Fiber.await))

    const start = (claim: Claim) => {
      const hand = hands.take(laneOf(claim.delivery))
      const attempt = dispatcher.perform(claim, hand.admit).pipe(
        Effect.catchCause((cause) =>
          Effect.logError(`attempt of delivery ${claim.delivery.id} broke off; its lease will end`, cause)
        ),
        Effect.ensuring(
          Effect.sync(() => {
            hand.free()
            Queue.offerUnsafe(freed, undefined)
          })
        )
      )
      // At once: an attempt that was interrupted before it began could not give its claim back.
      return FiberSet.run(underWay, attempt, { startImmediately: true })
    }

    /** Claims until all hands are full, or nothing more is to be had. A lane may hold less than was asked of it: then again. */
    const fill = Effect.gen(function* () {
      while (hands.free > 0) {
        const claims = yield* store.deliveries.claim({ limit: hands.free, leaseMs, share: hands.share })
        if (claims.length === 0) return
        hands.served()
        for (const claim of claims) yield* start(claim)
      }
    })

    /** Runs what is due, and gives how long to wait then, and whether something that is due waits for a hand. */
    const fire = Effect.gen(function* () {
      for (const step of yield* store.transcriptSteps.take(limits.concurrency)) yield* transcripts.step(step)
      yield* fill
      const next = yield* store.agenda.next
      const at = yield* now
      const pressed = next !== undefined && next.at <= at
      const waitMs = next === undefined ? pollMs : Math.max(1, Math.min(pollMs, next.at - at))
      return { pressed, waitMs: pressed ? pressedPollMs : waitMs }
    }).pipe(
      // The worker outlives a store that breaks off, and asks it again.
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError("the store broke off; asking it again", cause), { pressed: false, waitMs: pollMs })
      )
    )

    const handsToFill = Effect.fnUntraced(function* (changed: Effect.Effect<void>) {
      yield* Effect.raceFirst(Queue.take(freed), changed)
      if (hands.free < limits.concurrency / 8) yield* Effect.sleep(gatherMs)
    })

    const turn = Effect.gen(function* () {
      const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
      yield* Queue.clear(freed)
      // What was claimed is in hand, or was not claimed.
      const { pressed, waitMs } = yield* Effect.uninterruptible(fire)
      const somethingToDo = pressed ? handsToFill(Fiber.join(changed)) : Fiber.join(changed)
      yield* Effect.raceFirst(Effect.sleep(waitMs), somethingToDo)
      yield* Fiber.interrupt(changed)
    })

    return yield* Effect.forever(turn)
  })
