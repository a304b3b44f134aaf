import {
  type AttemptResult,
  type Claim,
  type ClaimOptions,
  findReceiver,
  laneOf,
  type Receiver,
  type Store
} from "@tapedeck/core"
import { type Delivery, decideDelivery, type Instant, scheduleOf } from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { AttemptTexts } from "./attempts.ts"
import { type ClaimedRow, makeClaimable } from "./claimable.ts"
import type { Database } from "./Database.ts"
import type { DeliveryRows } from "./deliveryRows.ts"
import type { DeliveryWrites, TakenRow } from "./deliveryWrites.ts"
import { ClaimInHand } from "./inHand.ts"

export interface ClaimingParts {
  readonly rows: DeliveryRows
  readonly writes: DeliveryWrites
  readonly texts: AttemptTexts
  readonly receivers: Pick<Store["Service"], "automations" | "destinations">
  readonly agendaOrder: Effect.Effect<number>
  readonly agendaTaken: Effect.Effect<void>
}

type ReceiverOf = (delivery: Delivery) => Effect.Effect<Receiver | null>

/** Takes what is due, inside a transaction. */
export const makeClaiming = (
  { claimable, now: storeNow, query }: Database,
  { agendaOrder, agendaTaken, receivers, rows, texts, writes }: ClaimingParts
) => {
  const { due, shared } = claimable ?? makeClaimable(query)

  /** Reads each receiver once, however many deliveries go to it. */
  const receiversOfOneClaim = (): ReceiverOf => {
    const known = new Map<string, Receiver | null>()
    return (delivery) => {
      const id = laneOf(delivery).receiver
      const found = known.get(id)
      if (found !== undefined) return Effect.succeed(found)
      return Effect.tap(findReceiver(receivers, delivery), (receiver) => Effect.sync(() => known.set(id, receiver)))
    }
  }

  const claimOf = (row: ClaimedRow, delivery: Delivery, at: Instant, receiverOf: ReceiverOf): Effect.Effect<Claim> => {
    const fence = row.fence + 1
    // Also where whoever was to record it went missing: what is known stays known.
    if (row.held !== null) {
      return Effect.map(texts.decode<AttemptResult>(row.held, delivery.body), (result) => ({
        delivery,
        fence,
        reason: "answered",
        result,
        receiver: null
      }))
    }
    if (row.dueKind === "lease")
      return Effect.succeed({ delivery, fence, reason: "lost", result: null, receiver: null })
    const started = decideDelivery(delivery.state, { _tag: "AttemptStarted", at }, scheduleOf(delivery))
    // Only Scheduled and Waiting deliveries have an attempt on the agenda, and both may start one.
    const attempting = { ...delivery, state: Result.getOrThrow(started) }
    return Effect.map(receiverOf(delivery), (receiver) => ({
      delivery: attempting,
      fence,
      reason: "due",
      result: null,
      receiver
    }))
  }

  return Effect.fnUntraced(function* ({ leaseMs, limit, share }: ClaimOptions) {
    const now = yield* storeNow
    const found = yield* share === undefined ? due(now, limit) : shared(now, limit, share)
    if (found.length === 0) return []
    yield* agendaTaken
    const receiverOf = receiversOfOneClaim()
    const claims: Array<Claim> = []
    const taken: Array<TakenRow> = []
    for (const row of found) {
      const claim = yield* claimOf(row, yield* rows.deliveryOf(row.delivery), now, receiverOf)
      const { fence } = claim
      const { state } = claim.delivery
      const [sequence] = row.delivery
      const stateText = JSON.stringify(state)
      claims.push(new ClaimInHand(claim, sequence, stateText))
      taken.push([state._tag, stateText, fence, now + leaseMs, yield* agendaOrder, sequence])
    }
    yield* writes.take(taken)
    return claims
  })
}
