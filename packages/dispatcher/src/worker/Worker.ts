import { type Due, now, Redeliveries, Store, Transcripts } from "@tapedeck/core"
import { type Cause, Clock, Effect, Fiber, Queue } from "effect"
import { Dispatcher } from "../Dispatcher.ts"
import { makeAllocator } from "./allocator.ts"
import type { SlotLimits } from "./InFlight.ts"
import { leaseMs, renewLeases } from "./leases.ts"
import { makeStarter } from "./starter.ts"

export interface WorkerOptions extends SlotLimits {
  /** How long a worker that stops waits for the attempts in flight. */
  readonly graceMs: number
}

const defaults: WorkerOptions = { concurrency: 256, perHost: 16, perNewHost: 2, graceMs: 20_000 }

/** Poll interval of the store without a notification. */
const pollMs = 1_000

/** The same while due work waits for a slot: what falls due behind it cannot be seen. */
const backlogPollMs = 100

/**
 * The server's driver: runs what is due by the wall clock, forever. Attempts run concurrently. The loop sleeps until the next
 * one is due, until the agenda changes, or, with a backlog, until a slot is free. Of hosts that answer quickly it prefetches more
 * than there are slots.
 *
 * Interrupted, it claims nothing more, waits up to `graceMs` for the attempts in flight, and gives the rest back: what was not
 * sent is due at once for any worker, what was sent is a failed attempt.
 */
export const makeWorker = (options: Partial<WorkerOptions> = {}) =>
  Effect.gen(function* () {
    const { graceMs, ...limits } = { ...defaults, ...options }
    const store = yield* Store
    const transcripts = yield* Transcripts
    const redeliveries = yield* Redeliveries
    const dispatcher = yield* Dispatcher
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
    const leases = yield* renewLeases(store, inFlight)
    const fibers = () => inFlight.attempts.flatMap(({ fiber }) => fiber ?? [])
    yield* Effect.addFinalizer(() => Fiber.interruptAll(fibers()))
    const awaited = Effect.suspend(() => Fiber.awaitAll(fibers()))
    // In a fiber of its own: this one is interrupted, and would wait for nothing.
    const grace = Effect.forkDetach(Effect.interruptible(Effect.timeoutOption(awaited, graceMs)))
    yield* Effect.addFinalizer(() => Effect.flatMap(grace, Fiber.await))
    yield* Effect.addFinalizer(() => Effect.sync(starter.giveBackAll))

    const claim = Effect.suspend(() =>
      Effect.map(store.deliveries.claim({ limit: inFlight.room, leaseMs, allocate: allocator.allocate }), (claims) => {
        const claimed = allocator.claimed(claims.length)
        starter.add(claims)
        return claimed
      })
    )

    const redelivered = Effect.catchCause(redeliveries.step, (cause) =>
      Effect.as(Effect.logError("redelivery step failed; retrying", cause), false)
    )

    let stepsTakenAt = Number.NEGATIVE_INFINITY

    /** Takes the steps of transcripts and redeliveries that are due. With a backlog of deliveries, not each time. */
    const takeSteps = Effect.fnUntraced(function* (next: Due | undefined, at: number) {
      if (next?.kind !== "transcript" && next?.kind !== "redelivery" && at < stepsTakenAt + backlogPollMs) return false
      stepsTakenAt = at
      const steps = yield* transcripts.runDue(limits.concurrency)
      // One at a time: claims come between them.
      return (yield* redelivered) || steps.length > 0
    })

    let arrivals = 0

    /** Runs what is due. Returns for how long nothing more is, and what ends the wait before that. */
    const runDue = Effect.gen(function* () {
      yield* leases.renewIfLate
      starter.giveBackStale()
      const { isBacklog, roomWanted } = inFlight.room > 0 ? yield* claim : { isBacklog: true, roomWanted: Infinity }
      const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
      // The rest of a backlog is due: no need to read the agenda.
      const next = isBacklog ? undefined : yield* store.agenda.next
      const at = yield* now
      const tookSteps = yield* takeSteps(next, at)
      // It has come since the claim, which follows at once; the third time in a row it may be due by this process' clock alone.
      const isDue = next !== undefined && next.at <= at
      arrivals = isDue && !tookSteps ? (arrivals + 1) % 3 : 0
      if (tookSteps || arrivals > 0) return { changed, isBacklog, roomWanted, waitMs: 0 }
      const waitMs = isBacklog || isDue ? backlogPollMs : Math.max(1, Math.min(pollMs, (next?.at ?? Infinity) - at))
      return { changed, isBacklog: isBacklog || isDue, roomWanted, waitMs }
    })

    const failed = { changed: undefined, isBacklog: false, roomWanted: Infinity, waitMs: pollMs }
    const logFailure = (cause: Cause.Cause<never>) => Effect.logError("store call failed; retrying", cause)
    const runDueSafely = Effect.catchCause(runDue, (cause) => Effect.as(logFailure(cause), failed))

    const turn = Effect.gen(function* () {
      yield* Queue.clear(roomSignal)
      // Uninterruptible: what was claimed is in flight, or was not claimed.
      const { changed, isBacklog, roomWanted, waitMs } = yield* Effect.uninterruptible(runDueSafely)
      // With a backlog the store works on the next claim while the rest of this one starts.
      while (roomWanted < Infinity && inFlight.room < roomWanted && starter.isStarting) yield* Effect.yieldNow
      if (waitMs > 0 && inFlight.room < roomWanted) {
        const signals = [
          ...(changed === undefined ? [] : [Fiber.join(changed)]),
          ...(isBacklog ? [Queue.take(roomSignal)] : [])
        ]
        yield* Effect.raceAllFirst([Effect.sleep(waitMs), ...signals])
      }
      if (changed !== undefined) yield* Fiber.interrupt(changed)
    })

    return yield* Effect.forever(turn)
  })
