import { type AttemptResult, type Claim, type ClaimOptions, laneOf, type Receiver } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptTexts } from "./attempts.ts"
import type { Automations } from "./automations.ts"
import type { TakeDue, TakenDelivery } from "./claimable.ts"
import type { DeliveryRows } from "./deliveryRows.ts"
import type { Destinations } from "./destinations.ts"
import { forEachEager } from "./eager.ts"
import { ClaimInHand } from "./inHand.ts"

export interface ClaimReceivers {
  readonly automations: Pick<Automations, "byIds">
  readonly destinations: Pick<Destinations, "byIds">
}

export interface ClaimingParts {
  readonly take: TakeDue
  readonly rows: DeliveryRows
  readonly texts: AttemptTexts
  readonly receivers: ClaimReceivers
  readonly agendaTaken: Effect.Effect<void>
}

type ReceiverOf = (delivery: Delivery) => Receiver | null

/** Its attempt is to be made, and its receiver to be known. */
const isDue = ({ held, wasLeased }: TakenDelivery): boolean => held === null && !wasLeased

/** Takes what is due, and makes claims of it. Inside a transaction. */
export const makeClaiming = ({ agendaTaken, receivers, rows, take, texts }: ClaimingParts) => {
  /** Reads each receiver once, and all of them together, however many deliveries go to them. */
  const receiversOf = Effect.fnUntraced(function* (
    deliveries: ReadonlyArray<Delivery>
  ): Effect.fn.Return<ReceiverOf, SqlError> {
    const ids = { automations: new Set<string>(), destinations: new Set<string>() }
    for (const { automationId, destinationId } of deliveries) {
      if (automationId !== null) ids.automations.add(automationId)
      else if (destinationId !== null) ids.destinations.add(destinationId)
    }
    const known = new Map<string, Receiver>()
    for (const automation of yield* receivers.automations.byIds([...ids.automations])) {
      known.set(automation.id, { kind: "automation", automation })
    }
    for (const destination of yield* receivers.destinations.byIds([...ids.destinations])) {
      known.set(destination.id, { kind: "destination", destination })
    }
    return (delivery) => known.get(laneOf(delivery).receiver) ?? null
  })

  const claimOf = (one: TakenDelivery, delivery: Delivery, receiverOf: ReceiverOf): Effect.Effect<Claim> => {
    const { fence, held } = one
    const [sequence, , , stateText] = one.delivery
    const inHand = (reason: Claim["reason"], result: Claim["result"], receiver: Claim["receiver"]) =>
      new ClaimInHand({ delivery, fence, reason, result, receiver }, sequence, stateText!)
    if (isDue(one)) return Effect.succeed(inHand("due", null, receiverOf(delivery)))
    if (held === null) return Effect.succeed(inHand("lost", null, null))
    // Also where whoever was to record it went missing: what is known stays known.
    return Effect.map(texts.decode<AttemptResult>(held, delivery.body), (result) => inHand("answered", result, null))
  }

  return Effect.fnUntraced(function* (options: ClaimOptions) {
    const taken = yield* take(options)
    if (taken.length === 0) return []
    yield* agendaTaken
    const deliveries = yield* rows.queued(taken.map(({ delivery }) => delivery))
    const receiverOf = yield* receiversOf(deliveries.filter((_, index) => isDue(taken[index]!)))
    return yield* forEachEager(taken, (one, index) => claimOf(one, deliveries[index]!, receiverOf))
  })
}
