import { type Due, now, Store, Transcripts } from "@tapedeck/core"
import { Clock, Effect, Fiber, Queue } from "effect"
import { makeBeginning } from "./beginning.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { type HandLimits, Hands } from "./Hands.ts"
import { leaseMs, renewedLeases } from "./leases.ts"
import { UnderWay } from "./underWay.ts"

export interface WorkerOptions extends HandLimits {
  /** How long a worker that is told to stop waits for the attempts that it has in hand. */
  readonly graceMs: number
}

const defaults: WorkerOptions = { concurrency: 256, perHost: 16, graceMs: 20_000 }

/** What is relied on when nobody tells of new work. */
const pollMs = 1_000

/** The same while something that is due has to wait for a hand: what falls due behind it is not to be seen. */
const pressedPollMs = 100

/** So many claims follow each other at most before anything else that is due has its turn. */
const mostInARow = 8

/**
 * The driver of the server: runs what is due by the clock on the wall, for ever. Attempts run side by side; the loop
 * sleeps until the next one is due, until the agenda changes, or, while there is more to do than hands, until one is free.
 * Where receivers answer quickly, more is claimed than there are hands, and begins as they become free.
 *
 * What it has in hand stays its own by leases that it renews. Interrupted, it claims nothing more, lets what is in hand end
 * for a while, and gives the rest back: what was not sent yet is due at once for whoever comes next, what was is a failed attempt.
 */
export const makeWorker = (options: Partial<WorkerOptions> = {}) =>
  Effect.gen(function* () {
    const { graceMs, ...limits } = { ...defaults, ...options }
    const store = yield* Store
    const transcripts = yield* Transcripts
    const dispatcher = yield* Dispatcher
    const clock = yield* Clock.Clock
    const nowMs = () => clock.currentTimeMillisUnsafe()
    const hands = new Hands(limits, nowMs)
    const underWay = new UnderWay()
    const run = Effect.runForkWith(yield* Effect.context<never>())
    // Before what follows, and so after it as the scope closes: to the last, what is in hand is this worker's.
    const leases = yield* renewedLeases(store, underWay)
    const freed = yield* Queue.sliding<void>(1)
    yield* Effect.addFinalizer(() => underWay.interrupted)
    const grace = Effect.timeoutOrElse(underWay.ended, { duration: graceMs, orElse: () => Effect.void })
    // In a fiber of its own: this one is interrupted, and would wait for nothing.
    yield* Effect.addFinalizer(() => Effect.flatMap(Effect.forkDetach(Effect.interruptible(grace)), Fiber.await))

    const beginning = makeBeginning({
      dispatcher,
      hands,
      underWay,
      run,
      nowMs,
      freed: () => {
        if (Queue.sizeUnsafe(freed) === 0) Queue.offerUnsafe(freed, undefined)
      }
    })
    yield* Effect.addFinalizer(() => Effect.sync(beginning.giveAllBack))

    /** `more` and `left`: what `Hands.served` says of it. */
    const claim = Effect.suspend(() =>
      Effect.map(store.deliveries.claim({ limit: hands.room, leaseMs, allocate: hands.share }), (claims) => {
        const served = hands.served(claims.length)
        beginning.begin(claims)
        return { count: claims.length, ...served }
      })
    )

    /**
     * Claims until there is room for no more, or nothing more is to be had; a lane may hold less than was asked of it, then again.
     * In a crowd the next claim follows as soon as so much has begun that there is room for as many again: the store works on it
     * while the rest begins. Gives whether something that is due may have been left for want of hands.
     */
    const fill = Effect.gen(function* () {
      yield* leases.renewIfLate
      beginning.giveLateBack()
      if (hands.room === 0) return true
      for (let inARow = 1; ; inARow++) {
        const { count, left, more } = yield* claim
        const isCrowd = left && count > 0 && inARow < mostInARow
        // A crowd that its receivers keep up with.
        const hasRoom = () => hands.room >= (more ? 1 : count)
        if (!more && !isCrowd) return left
        while (!hasRoom() && beginning.isUnderWay) yield* Effect.yieldNow
        if (!hasRoom()) return true
      }
    })

    let stepsTakenAt = Number.NEGATIVE_INFINITY

    /** Transcripts' steps that are due. A crowd of deliveries is not asked each time whether there is one behind it. */
    const takeSteps = Effect.fnUntraced(function* (next: Due | undefined, at: number) {
      if (next?.kind !== "transcript" && at < stepsTakenAt + pressedPollMs) return false
      stepsTakenAt = at
      const steps = yield* store.transcriptSteps.take(limits.concurrency)
      for (const step of steps) yield* transcripts.step(step)
      return steps.length > 0
    })

    /** Runs what is due. Gives what comes next, and tells of changes from then on. */
    const fire = Effect.gen(function* () {
      for (let arrivals = 0; ; ) {
        const left = yield* fill
        const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
        // What was left is due: what comes next is not asked for.
        const next = left ? undefined : yield* store.agenda.next
        const at = yield* now
        const isDue = left || (next !== undefined && next.at <= at)
        const tookSteps = yield* takeSteps(next, at)
        // What is due, and was not left, has come since. Twice, and it may be due by our clock alone.
        const isArrival = isDue && !left && arrivals++ < 2
        if (!tookSteps && !isArrival)
          return { changed, pressed: isDue, waitMs: isDue ? pressedPollMs : waitMs(next, at) }
        yield* Fiber.interrupt(changed)
      }
    })

    const waitMs = (next: Due | undefined, at: number) =>
      next === undefined ? pollMs : Math.max(1, Math.min(pollMs, next.at - at))

    /** The worker outlives a store that breaks off, and asks it again. */
    const fireAll = Effect.catchCause(fire, (cause) =>
      Effect.as(Effect.logError("the store broke off; asking it again", cause), {
        changed: undefined,
        pressed: false,
        waitMs: pollMs
      })
    )

    const turn = Effect.gen(function* () {
      yield* Queue.clear(freed)
      // What was claimed is in hand, or was not claimed.
      const { changed, pressed, waitMs } = yield* Effect.uninterruptible(fireAll)
      const somethingToDo = changed === undefined ? Effect.never : Fiber.join(changed)
      // While a claim is under way more hands become free for the next one: to wait for them would keep those that are idle.
      const handToFill = pressed ? Effect.raceFirst(Queue.take(freed), somethingToDo) : somethingToDo
      yield* Effect.raceFirst(Effect.sleep(waitMs), handToFill)
      if (changed !== undefined) yield* Fiber.interrupt(changed)
    })

    return yield* Effect.forever(turn)
  })
