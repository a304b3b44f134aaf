import { type Claim, type Due, laneOf, now, Store, Transcripts } from "@tapedeck/core"
import { type Context, Effect, Fiber, Queue } from "effect"
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

/**
 * The driver of the server: runs what is due by the clock on the wall, for ever. Attempts run side by side; the loop
 * sleeps until the next one is due, until the agenda changes, or, while there is more to do than hands, until one is free.
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
    const hands = new Hands(limits)
    const underWay = new UnderWay()
    // Before what follows, and so after it as the scope closes: to the last, what is in hand is this worker's.
    const leases = yield* renewedLeases(store, underWay)
    const freed = yield* Queue.sliding<void>(1)
    yield* Effect.addFinalizer(() => underWay.interrupted)
    const grace = Effect.timeoutOrElse(underWay.ended, { duration: graceMs, orElse: () => Effect.void })
    // In a fiber of its own: this one is interrupted, and would wait for nothing.
    yield* Effect.addFinalizer(() => Effect.flatMap(Effect.forkDetach(Effect.interruptible(grace)), Fiber.await))

    const start = (claim: Claim, run: (attempt: Effect.Effect<unknown>) => Fiber.Fiber<unknown>) => {
      const hand = hands.take(laneOf(claim.delivery))
      const attempt = underWay.begin(claim)
      const tellingFreed = (end: () => void) => {
        const before = hands.free
        end()
        if (hands.free > before) Queue.offerUnsafe(freed, undefined)
      }
      const answered = () => {
        if (attempt.lease === "kept") attempt.lease = "answered"
        tellingFreed(hand.answered)
      }
      // At once: an attempt that was interrupted before it began could not give its claim back.
      attempt.fiber = run(
        Effect.catchCause(dispatcher.perform(claim, { admit: hand.admit, answered }), (cause) =>
          Effect.logError(`attempt of delivery ${claim.delivery.id} broke off; its lease will end`, cause)
        )
      )
      attempt.fiber.addObserver(() => {
        underWay.end(attempt)
        tellingFreed(hand.free)
      })
    }

    const startAll = (claims: ReadonlyArray<Claim>) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.sync(() => {
          const run = Effect.runForkWith(context)
          for (const claim of claims) start(claim, run)
        })
      )

    /**
     * Claims until all hands are full, or nothing more is to be had; a lane may hold less than was asked of it, then again.
     * Gives whether something that is due may have been left for want of hands.
     */
    const fill = Effect.gen(function* () {
      yield* leases.renewIfLate
      while (hands.free > 0) {
        const claims = yield* store.deliveries.claim({ limit: hands.free, leaseMs, share: hands.share })
        const { left, more } = hands.served(claims.length)
        yield* startAll(claims)
        if (!more) return left
      }
      return true
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
