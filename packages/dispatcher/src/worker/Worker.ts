import type { Delivery } from "@tapedeck/domain"
import type { AnyDelivery, NextDue } from "@tapedeck/domain/delivery"
import { type Cause, Clock, Effect, Fiber, Queue } from "effect"
import type { Dispatcher, PerformedAttempt } from "../Dispatcher.ts"
import { now } from "../now.ts"
import { makeAllocator } from "./allocator.ts"
import type { SlotLimits } from "./Host.ts"
import { leaseMs, renewLeases } from "./leases.ts"
import { logAttempt, reporting } from "./reports.ts"
import { makeStarter } from "./starter.ts"

/** Other due work of the queue's agenda, which the worker does between claims. */
export interface WorkerSteps {
  /** Kinds of agenda entries that signal this work. */
  readonly kinds: ReadonlyArray<string>
  /** Does some of the due work. Returns whether there was any. */
  readonly take: Effect.Effect<boolean>
}

export interface WorkerOptions<D extends AnyDelivery = Delivery> extends SlotLimits {
  /** Time for which a stopping worker waits for attempts in flight, in milliseconds. */
  readonly graceMs: number
  readonly steps?: WorkerSteps
  /**
   * Called with each attempt after its outcome is recorded, except attempts that a stop of the worker interrupts. Until it ends, the
   * attempt counts as unrecorded. Default: writes a line to Effect's log, at `Debug` for a success and at `Info` for a failure. Null for
   * nothing.
   */
  readonly onAttempt: ((attempt: PerformedAttempt<D>) => Effect.Effect<void>) | null
}

/** Agenda of a queue that has none. */
const unwatched = { next: Effect.undefined, changed: Effect.never }

const noSteps: WorkerSteps = { kinds: [], take: Effect.succeed(false) }

const defaults = {
  concurrency: 256,
  perHost: 16,
  perNewHost: 2,
  graceMs: 20_000,
  steps: noSteps,
  onAttempt: logAttempt
}

/** Poll interval of the queue without a notification, in milliseconds. */
const pollMs = 1_000

/** Poll interval while due work waits for a slot, in milliseconds, because work that becomes due after it cannot be seen. */
const backlogPollMs = 100

/**
 * Runs the due deliveries of the dispatcher's queue by the wall clock, forever. Attempts run concurrently. The loop sleeps until the next
 * delivery is due, until the agenda changes, or, with a backlog, until a slot is free. For hosts that answer quickly, it prefetches more
 * deliveries than there are slots.
 *
 * After an interruption, it claims nothing more, and waits up to `graceMs` for the attempts in flight. Then it returns the rest: unsent
 * deliveries are due at once for any worker, and sent requests are failed attempts.
 */
export const makeWorker = <D extends AnyDelivery>(unreported: Dispatcher<D>, options: Partial<WorkerOptions<D>> = {}) =>
  Effect.gen(function* () {
    const { graceMs, onAttempt, steps, ...limits } = { ...defaults, ...options }
    const dispatcher = onAttempt === null ? unreported : reporting(unreported, onAttempt)
    const { queue } = dispatcher
    const agenda = queue.agenda ?? unwatched
    const clock = yield* Clock.Clock
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const roomSignal = yield* Queue.sliding<void>(1)

    const starter = makeStarter({
      dispatcher,
      limits,
      run,
      nowMs: () => clock.currentTimeMillisUnsafe(),
      onRoom: () => Queue.offerUnsafe(roomSignal, undefined)
    })
    const { inFlight } = starter
    const allocator = makeAllocator(inFlight)
    // First, so that it ends last: leases are renewed as long as anything is in flight.
    const leases = yield* renewLeases(queue, inFlight)
    const fibers = () => inFlight.attempts.flatMap(({ fiber }) => fiber ?? [])
    yield* Effect.addFinalizer(() => Fiber.interruptAll(fibers()))
    const awaited = Effect.suspend(() => Fiber.awaitAll(fibers()))
    // The wait is a fiber of its own: this one is interrupted, and would wait for nothing.
    const grace = Effect.forkDetach(Effect.interruptible(Effect.timeoutOption(awaited, graceMs)))
    yield* Effect.addFinalizer(() => Effect.flatMap(grace, Fiber.await))
    yield* Effect.addFinalizer(() => Effect.sync(starter.giveBackAll))

    const claim = Effect.suspend(() =>
      Effect.map(queue.claim({ limit: inFlight.room, leaseMs, allocate: allocator.allocate }), (claims) => {
        const claimed = allocator.claimed(claims.length)
        starter.add(claims)
        return claimed
      })
    )

    let stepsTakenAt = Number.NEGATIVE_INFINITY

    /** Takes the due steps: at once if one is next, beside due deliveries not each time, and else by polls, as the clock is this process'. */
    const takeSteps = (next: NextDue | undefined, at: number): Effect.Effect<boolean> => {
      const isLater = next !== undefined && next.at > at
      const isDue = next !== undefined && !isLater && steps.kinds.includes(next.kind)
      if (!isDue && at < stepsTakenAt + (isLater ? pollMs : backlogPollMs)) return Effect.succeed(false)
      stepsTakenAt = at
      return steps.take
    }

    let arrivals = 0

    /** Runs the due work. Returns the time until more is due, and the events that end the wait earlier. */
    const runDue = Effect.gen(function* () {
      yield* leases.renewIfLate
      starter.giveBackStale()
      const { isBacklog, roomWanted } = inFlight.room > 0 ? yield* claim : { isBacklog: true, roomWanted: Infinity }
      const changed = Fiber.join(yield* Effect.forkScoped(agenda.changed, { startImmediately: true }))
      // The rest of a backlog is due: no need to read the agenda.
      const next = isBacklog ? undefined : yield* agenda.next
      const at = yield* now
      const tookSteps = yield* takeSteps(next, at)
      // The entry has arrived since the claim, which follows at once; the third time in a row it may be due by this process' clock alone.
      const isDue = next !== undefined && next.at <= at
      arrivals = isDue && !tookSteps ? (arrivals + 1) % 3 : 0
      const isWaiting = isBacklog || isDue
      const idleMs = isWaiting ? backlogPollMs : Math.max(1, Math.min(pollMs, (next?.at ?? Infinity) - at))
      return { changed, isBacklog: isWaiting, roomWanted, waitMs: tookSteps || arrivals > 0 ? 0 : idleMs }
    })

    const failed = { changed: Effect.never, isBacklog: false, roomWanted: Infinity, waitMs: pollMs }
    const retryLater = (cause: Cause.Cause<never>) =>
      Effect.as(Effect.logError("store call failed; retrying", cause), failed)

    const turn = Effect.gen(function* () {
      yield* Queue.clear(roomSignal)
      // Uninterruptible: what was claimed is in flight, or was not claimed.
      const { changed, isBacklog, roomWanted, waitMs } = yield* Effect.uninterruptible(
        Effect.catchCause(runDue, retryLater)
      )
      // With a backlog the queue works on the next claim while the rest of this one starts.
      while (roomWanted < Infinity && inFlight.room < roomWanted && starter.isStarting) yield* Effect.yieldNow
      if (waitMs === 0 || inFlight.room >= roomWanted) return
      yield* Effect.raceAllFirst([Effect.sleep(waitMs), changed, isBacklog ? Queue.take(roomSignal) : Effect.never])
    })

    return yield* Effect.forever(Effect.scoped(turn))
  })
