import type { AnyDelivery, Claim } from "@tapedeck/domain/delivery"
import { Cause, Effect, Exit, type Fiber } from "effect"
import { attemptFields } from "../attempt.ts"
import type { Dispatcher } from "../Dispatcher.ts"
import type { SlotLimits } from "./Host.ts"
import { InFlight, type InFlightAttempt } from "./InFlight.ts"

/** Maximum number of attempts that start before responses of the network and the queue are read. */
const maxStartsPerTurn = 64

interface StarterOptions<D extends AnyDelivery> {
  readonly dispatcher: Dispatcher<D>
  readonly limits: SlotLimits
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly nowMs: () => number
  /** Called when there is room for a claim: a slot is free and no attempt waits for it, or less than half of the permitted number is prefetched. */
  readonly onRoom: () => void
}

/** Creates a starter of claimed attempts, which starts each as soon as it has a free slot. */
export const makeStarter = <D extends AnyDelivery>({ dispatcher, limits, nowMs, onRoom, run }: StarterOptions<D>) => {
  /** Attempts that wait for a slot, by receiver, including some that were returned in the meantime. */
  const waiting = new Map<string, Array<InFlightAttempt<D>>>()
  /** Attempts that have a slot and have not started. */
  const starting: Array<InFlightAttempt<D>> = []
  let isStarting = false

  const inFlight = new InFlight<D>(limits, nowMs, (freeBefore) => {
    startAdmitted()
    const { counts, prefetchRoom } = inFlight.all
    if (inFlight.free > freeBefore || counts.prefetched < prefetchRoom) onRoom()
  })

  const start = (attempt: InFlightAttempt<D>) => {
    // The attempt starts at once: one that is interrupted before it starts could not give its claim back.
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

  /** Takes the next attempt that has a free slot. Receivers take turns. */
  const nextAdmitted = (): InFlightAttempt<D> | undefined => {
    for (const [receiver, queue] of waiting) {
      while (queue.length > 0 && queue[0]!.phase !== "prefetched") queue.shift()
      if (queue.length > 0 && !inFlight.admits(queue[0]!.key)) continue
      const attempt = queue.shift()
      waiting.delete(receiver)
      if (queue.length > 0) waiting.set(receiver, queue)
      if (attempt !== undefined) return attempt
    }
    return undefined
  }

  const startSome = () => starting.splice(0, maxStartsPerTurn).forEach(start)

  const startRest = Effect.gen(function* () {
    for (; starting.length > 0; startSome()) yield* Effect.yieldNow
    isStarting = false
  })

  /** Assigns slots to waiting attempts, and starts some at once, the rest in a separate fiber. */
  const startAdmitted = () => {
    for (let next = nextAdmitted(); next !== undefined; next = nextAdmitted()) {
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
      for (const claim of claims) {
        const attempt = inFlight.add(claim, dispatcher.queue.keyOf(claim.delivery))
        const queue = waiting.get(attempt.key.receiver) ?? []
        queue.push(attempt)
        waiting.set(attempt.key.receiver, queue)
      }
      startAdmitted()
    },
    /** True while attempts that have a slot have not started yet. */
    get isStarting() {
      return isStarting
    },
    /** Returns attempts that have waited too long for a slot, so that they are due for any worker. */
    giveBackStale: () =>
      inFlight.attempts.filter((one) => one.phase === "prefetched" && inFlight.isStale(one)).forEach(giveBack),
    /** Returns all attempts that have not started. */
    giveBackAll: () => {
      waiting.clear()
      starting.length = 0
      inFlight.attempts.filter(({ fiber }) => fiber === undefined).forEach(giveBack)
    }
  }
}
