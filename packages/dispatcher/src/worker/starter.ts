import type { AnyDelivery, Claim } from "@tapedeck/domain/delivery"
import { Cause, Effect, Exit, type Fiber } from "effect"
import { attemptFields } from "../attempt.ts"
import type { Dispatcher } from "../Dispatcher.ts"
import { InFlight, type InFlightAttempt, type SlotLimits } from "./InFlight.ts"
import { makePrefetch } from "./prefetch.ts"

/** An attempt that has waited this long for a slot is given back: its host stopped answering, or the process was suspended. */
const maxWaitMs = 1_000

/** Maximum number of attempts that start before responses of the network and the queue are read. */
const maxStartsPerTurn = 64

interface StarterOptions<D extends AnyDelivery> {
  readonly dispatcher: Dispatcher<D>
  readonly limits: SlotLimits
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly nowMs: () => number
  /** There is room for a claim: a slot is free and nothing waits for it, or little is prefetched. */
  readonly onRoom: () => void
}

/** Starts claimed attempts, each as soon as a slot is free for it. */
export const makeStarter = <D extends AnyDelivery>({ dispatcher, limits, nowMs, onRoom, run }: StarterOptions<D>) => {
  /** The attempts that have a slot, and are yet to start. */
  const starting: Array<InFlightAttempt<D>> = []
  let isStarting = false

  const inFlight = new InFlight<D>(limits, nowMs, (freeBefore) => {
    startAdmitted()
    if (inFlight.free > freeBefore || inFlight.isPrefetchLow) onRoom()
  })
  const prefetch = makePrefetch<D>(inFlight)

  const start = (attempt: InFlightAttempt<D>) => {
    // At once: an attempt that is interrupted before it starts could not give its claim back.
    attempt.fiber = run(dispatcher.perform(attempt.claim, attempt))
    attempt.fiber.addObserver((exit) => {
      // An interrupted attempt has logged what was not recorded.
      if (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause)) {
        run(
          Effect.logError("attempt failed unexpectedly; its lease will end", attemptFields(attempt.claim), exit.cause)
        )
      }
      inFlight.end(attempt)
    })
  }

  const giveBack = (attempt: InFlightAttempt<D>) => {
    inFlight.move(attempt, "recording")
    start(attempt)
  }

  const startSome = () => {
    for (const attempt of starting.splice(0, maxStartsPerTurn)) {
      if (attempt.isLeaseLost || attempt.claimedAtMs <= nowMs() - maxWaitMs) giveBack(attempt)
      else start(attempt)
    }
  }

  const startRest = Effect.gen(function* () {
    for (; starting.length > 0; startSome()) yield* Effect.yieldNow
    isStarting = false
  })

  /** Gives slots to the attempts that wait for them, and starts some at once, the rest in a fiber of its own. */
  const startAdmitted = () => {
    for (let next = prefetch.next(); next !== undefined; next = prefetch.next()) {
      inFlight.move(next, "active")
      starting.push(next)
    }
    // An attempt that ends as it starts has the next one start: one after another, not one within another.
    if (isStarting) return
    isStarting = true
    startSome()
    if (starting.length > 0) run(startRest)
    else isStarting = false
  }

  return {
    inFlight,
    add: (claims: ReadonlyArray<Claim<D>>) => {
      for (const claim of claims) prefetch.add(inFlight.add(claim, dispatcher.queue.keyOf(claim.delivery)))
      startAdmitted()
    },
    /** Whether attempts that have a slot are yet to start. */
    get isStarting() {
      return isStarting
    },
    /** Gives back the attempts that have waited too long for a slot: they are due again, for any worker. */
    giveBackStale: () => prefetch.takeUntil(nowMs() - maxWaitMs).forEach(giveBack),
    /** Gives back all that have not started. */
    giveBackAll: () => [...prefetch.takeUntil(Number.POSITIVE_INFINITY), ...starting.splice(0)].forEach(giveBack)
  }
}
