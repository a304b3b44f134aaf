import { type AttemptResult, type Claim, now, ServiceConfig, Store } from "@tapedeck/core"
import type { AttemptOutcome, Delivery, Instant } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { afterAttempt, attempting, attemptSender, moved } from "./attempt.ts"
import type { Hand } from "./Hands.ts"
import { remembered } from "./remembered.ts"
import { targetOf } from "./target.ts"

/** One attempt as a driver sees it. `outcome` is null while its end is still to come. */
export interface PerformedAttempt {
  readonly delivery: Delivery
  readonly attempt: number
  readonly elapsedMs: number
  readonly outcome: AttemptOutcome | null
  readonly statusCode: number | null
}

/**
 * A claim lasts longer than the longest attempt, so that only a worker that is gone loses it. Attempts take up to 300 s
 * (an audit destination's longest timeout).
 */
export const leaseMs = 360_000

/** What a driver says and hears while an attempt is made. */
export type AttemptHand = Pick<Hand, "admit" | "answered">

/** Takes deliveries through their attempts: target, sign, guard, send, judge, record. Rendering was core's. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Makes the claimed attempt, or records the one whose end has come. Null when the claim was no longer ours, or called
     * off, or given back: because its hand did not admit its host, or because it was interrupted before anything was sent.
     * What was interrupted later is a failed attempt: the receiver may have acted on it (W3).
     */
    readonly perform: (claim: Claim, hand?: AttemptHand) => Effect.Effect<PerformedAttempt | null>
  }
>()("@tapedeck/dispatcher/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* Store
      const send = yield* attemptSender
      const config = yield* ServiceConfig

      /** Writes what the delivery becomes, if the claim is still ours. */
      const settle = (claim: Claim, after: (delivery: Delivery, at: Instant) => Delivery) =>
        Effect.tap(store.deliveries.settle(claim, after), (settled) =>
          settled === null
            ? Effect.logWarning(`${named(claim)} ended after its claim was lost: nothing is recorded of it`)
            : Effect.void
        )

      const record = (claim: Claim, result: AttemptResult | null) =>
        Effect.map(
          settle(claim, (delivery, at) => afterAttempt(delivery, result, at)),
          (after) => (after === null ? null : performed(claim, after, result))
        )

      const giveBack = (claim: Claim) => Effect.as(settle(claim, givenBack), null)

      const perform = Effect.fnUntraced(function* (claim: Claim, hand?: AttemptHand) {
        if (claim.reason === "lost")
          yield* Effect.logWarning(`${named(claim)} was lost with its worker: it counts as failed`)
        if (claim.reason !== "due") {
          hand?.answered()
          return yield* record(claim, claim.result)
        }
        const target = targetOf(claim.delivery, claim.receiver, config)
        if (target === null) return yield* Effect.as(settle(claim, calledOff), null)
        if (hand?.admit(hostOf(target.url)) === false) return yield* giveBack(claim)
        const { endsAt, result } = yield* send(claim.delivery, target, (cutOff) =>
          cutOff === null ? giveBack(claim) : record(claim, cutOff)
        )
        hand?.answered()
        if (endsAt !== undefined && endsAt > (yield* now)) {
          yield* store.deliveries.hold(claim, result, endsAt)
          return performed(claim, claim.delivery, null)
        }
        return yield* record(claim, result)
      })

      return Dispatcher.of({ perform: (claim, hand) => Effect.uninterruptible(perform(claim, hand)) })
    })
  )
}

/** There is nobody to send to any more: the attempt ends unsent, and the delivery with it (W11). */
const calledOff = (delivery: Delivery, at: Instant): Delivery =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptLost", at })

const givenBack = (delivery: Delivery, at: Instant): Delivery => moved(delivery, { _tag: "AttemptGivenBack", at })

/** Whom an attempt keeps busy; a URL that cannot be read keeps nobody. */
const hostOf = remembered((url): string => (URL.canParse(url) ? new URL(url).host : url))

const named = ({ delivery }: Claim): string => `attempt ${attempting(delivery).attempt} of delivery ${delivery.id}`

const performed = (claim: Claim, delivery: Delivery, result: AttemptResult | null): PerformedAttempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(claim.delivery)
  return {
    delivery,
    attempt,
    elapsedMs: startedAt - firstAttemptAt,
    outcome: result?.outcome ?? null,
    statusCode: result?.statusCode ?? null
  }
}
