import { type Claim, queueKeyOf } from "@tapedeck/core"
import { Cause, Effect, Exit, type Fiber } from "effect"
import { Ahead } from "./Ahead.ts"
import type { Dispatcher } from "./Dispatcher.ts"
import type { Hand, Hands } from "./Hands.ts"
import type { Attempt, UnderWay } from "./underWay.ts"

/** So many attempts begin at most before whatever has come from the network has its turn. */
const atATurn = 64

type BegunHand = Pick<Hand, keyof Hand>

/** An attempt that is to begin. */
interface Ready {
  readonly attempt: Attempt
  readonly hand: BegunHand
}

/** What has no hand does not go to its host: it is given back. */
const noHand: BegunHand = { admit: () => false, answered: () => {}, free: () => {} }

const brokenOff = ({ delivery }: Claim, cause: Cause.Cause<never>) =>
  Effect.logError(`attempt of delivery ${delivery.id} broke off; its lease will end`, cause)

export interface BeginningParts {
  readonly dispatcher: Dispatcher["Service"]
  readonly hands: Hands
  readonly underWay: UnderWay
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly nowMs: () => number
  /** A hand has become free, and nothing is left that waits for it. */
  readonly freed: () => void
}

/** Begins what was claimed: each attempt as a hand is free for it. */
export const makeBeginning = ({ dispatcher, freed, hands, nowMs, run, underWay }: BeginningParts) => {
  const ahead = new Ahead(hands, nowMs)
  /** What has its hand: nobody else gets that meanwhile. */
  const ready: Array<Ready> = []
  let isBeginning = false

  const perform = ({ attempt, hand }: Ready) => {
    const { claim } = attempt
    // At once: an attempt that was interrupted before it began could not give its claim back.
    attempt.fiber = run(dispatcher.perform(claim, hand))
    attempt.fiber.addObserver((exit) => {
      // Interrupted, it has said itself what was not recorded.
      if (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause)) run(brokenOff(claim, exit.cause))
      underWay.end(attempt)
      hand.free()
    })
  }

  const giveBack = (attempts: ReadonlyArray<Attempt>) => {
    for (const attempt of attempts) perform({ attempt, hand: noHand })
  }

  /** A hand that tells when it is free for others. */
  class TellingHand implements BegunHand {
    private readonly attempt: Attempt
    private readonly hand: Hand

    constructor(attempt: Attempt) {
      this.attempt = attempt
      this.hand = hands.take(queueKeyOf(attempt.claim.delivery))
    }

    admit(host: string): boolean {
      return this.hand.admit(host)
    }

    answered() {
      if (this.attempt.lease === "kept") this.attempt.lease = "answered"
      const before = hands.free
      this.hand.answered()
      pass(before)
    }

    free() {
      const before = hands.free
      this.hand.free()
      pass(before)
    }
  }

  /** Hands that have become free take what waits for them. */
  const pass = (before: number) => {
    if (hands.free <= before) return
    beginAhead()
    if (hands.free > before || hands.isAheadLow) freed()
  }

  const handOut = () => {
    for (let next = ahead.next(); next !== undefined; next = ahead.next()) {
      if (next.isLate) giveBack([next.attempt])
      else ready.push({ attempt: next.attempt, hand: new TellingHand(next.attempt) })
    }
  }

  /** Its hand is free once it is given back. */
  const giveReadyBack = ({ attempt, hand }: Ready) => perform({ attempt, hand: { ...noHand, free: () => hand.free() } })

  /** What another took over meanwhile is not sent once more. */
  const beginSome = () => {
    for (const one of ready.splice(0, atATurn)) {
      if (one.attempt.lease === "lost") giveReadyBack(one)
      else perform(one)
    }
  }

  /** An attempt that ends as it begins has the next one begin: one after another, not one within another. */
  const beginAhead = () => {
    handOut()
    if (isBeginning) return
    isBeginning = true
    while (ready.length > 0) beginSome()
    isBeginning = false
  }

  const beginRest = Effect.ensuring(
    Effect.gen(function* () {
      while (ready.length > 0) {
        yield* Effect.yieldNow
        beginSome()
      }
    }),
    Effect.sync(() => {
      isBeginning = false
    })
  )

  return {
    /** Gives hands to what was claimed, and begins some of it at once; the rest in a fiber of its own. */
    begin: (claims: ReadonlyArray<Claim>) => {
      for (const one of claims) ahead.add(underWay.begin(one))
      handOut()
      if (isBeginning) return
      isBeginning = true
      beginSome()
      run(beginRest)
    },
    /** Whether something has a hand, and is yet to begin. */
    get isUnderWay() {
      return isBeginning
    },
    /** What has waited for too long for a hand is due again, for whoever claims it. */
    giveLateBack: () => giveBack(ahead.late()),
    /** So is all that has not begun. */
    giveAllBack: () => {
      giveBack(ahead.all())
      for (const one of ready.splice(0)) giveReadyBack(one)
    }
  }
}
