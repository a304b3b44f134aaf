import {
  type AttemptResult,
  type Claim,
  type ClaimOptions,
  findReceiver,
  laneOf,
  type Receiver,
  type Store
} from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { AttemptTexts } from "./attempts.ts"
import type { TakeDue, TakenDelivery } from "./claimable.ts"
import type { DeliveryRows } from "./deliveryRows.ts"
import { ClaimInHand } from "./inHand.ts"

export interface ClaimingParts {
  readonly take: TakeDue
  readonly rows: DeliveryRows
  readonly texts: AttemptTexts
  readonly receivers: Pick<Store["Service"], "automations" | "destinations">
  readonly agendaTaken: Effect.Effect<void>
}

type ReceiverOf = (delivery: Delivery) => Effect.Effect<Receiver | null>

/** Takes what is due, and makes claims of it. Inside a transaction. */
export const makeClaiming = ({ agendaTaken, receivers, rows, take, texts }: ClaimingParts) => {
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

  const claimOf = (
    { dueKind, fence, held }: TakenDelivery,
    delivery: Delivery,
    receiverOf: ReceiverOf
  ): Effect.Effect<Claim> => {
    // Also where whoever was to record it went missing: what is known stays known.
    if (held !== null) {
      return Effect.map(texts.decode<AttemptResult>(held, delivery.body), (result) => ({
        delivery,
        fence,
        reason: "answered",
        result,
        receiver: null
      }))
    }
    if (dueKind === "lease") return Effect.succeed({ delivery, fence, reason: "lost", result: null, receiver: null })
    return Effect.map(receiverOf(delivery), (receiver) => ({ delivery, fence, reason: "due", result: null, receiver }))
  }

  return Effect.fnUntraced(function* (options: ClaimOptions) {
    const taken = yield* take(options)
    if (taken.length === 0) return []
    yield* agendaTaken
    const receiverOf = receiversOfOneClaim()
    const claims: Array<Claim> = []
    for (const one of taken) {
      const claim = yield* claimOf(one, yield* rows.queuedOf(one.delivery), receiverOf)
      const [sequence, , , stateText] = one.delivery
      claims.push(new ClaimInHand(claim, sequence, stateText!))
    }
    return claims
  })
}
