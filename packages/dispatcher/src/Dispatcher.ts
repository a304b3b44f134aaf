import { type AttemptResult, type Claim, now, type ServiceConfig, Store } from "@tapedeck/core"
import type { AttemptOutcome, Delivery, Instant } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { afterAttempt, attempting, attemptSender, moved } from "./attempt.ts"
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

/** Takes deliveries through their attempts: target, sign, guard, send, judge, record. Rendering was core's. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Makes the claimed attempt, or records the one whose end has come. Null when the claim was no longer ours, or called off. */
    readonly perform: (claim: Claim) => Effect.Effect<PerformedAttempt | null>
  }
>()("@tapedeck/dispatcher/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* Store
      const send = yield* attemptSender
      const services = yield* Effect.context<Store | ServiceConfig>()

      /** Writes what the delivery becomes, if the claim is still ours. It is read again: it may have been called off meanwhile (W11). */
      const settle = (claim: Claim, change: (delivery: Delivery, at: Instant) => Delivery) =>
        store.transaction(
          Effect.gen(function* () {
            const delivery = yield* store.deliveries.byId(claim.delivery.id)
            if (delivery === undefined || delivery.state._tag !== "Attempting") return null
            const after = change(delivery, yield* now)
            return (yield* store.deliveries.settle(claim, after)) ? after : null
          })
        )

      const record = (claim: Claim, result: AttemptResult | null) =>
        Effect.map(
          settle(claim, (delivery, at) => afterAttempt(delivery, result, at)),
          (after) => (after === null ? null : performed(claim, after, result))
        )

      const perform = Effect.fnUntraced(function* (claim: Claim) {
        if (claim.reason !== "due") return yield* record(claim, claim.result)
        const target = yield* Effect.provide(targetOf(claim.delivery), services)
        if (target === null) return yield* Effect.as(settle(claim, calledOff), null)
        const { endsAt, result } = yield* send(claim.delivery, target)
        if (endsAt !== undefined && endsAt > (yield* now)) {
          yield* store.deliveries.hold(claim, result, endsAt)
          return performed(claim, claim.delivery, null)
        }
        return yield* record(claim, result)
      })

      return Dispatcher.of({ perform })
    })
  )
}

/** There is nobody to send to any more: the attempt ends unsent, and the delivery with it (W11). */
const calledOff = (delivery: Delivery, at: Instant): Delivery =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptLost", at })

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
