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

type Receivers = ReadonlyMap<string, Receiver>

/** Its attempt is to be made, and its receiver to be known. */
const isDue = ({ held, wasLeased }: TakenDelivery): boolean => held === null && !wasLeased

const inHand = ({ delivery: [sequence, , , stateText], fence }: TakenDelivery, claim: Omit<Claim, "fence">): Claim =>
  new ClaimInHand({ ...claim, fence }, sequence, stateText!)

/** Takes what is due, and makes claims of it. Inside a transaction. */
export const makeClaiming = ({ agendaTaken, receivers, rows, take, texts }: ClaimingParts) => {
  /** Reads each receiver once, and all of them together, however many deliveries go to them. */
  const receiversOf = Effect.fnUntraced(function* (
    taken: ReadonlyArray<TakenDelivery>,
    deliveries: ReadonlyArray<Delivery>
  ): Effect.fn.Return<Receivers, SqlError> {
    const ids = { automations: new Set<string>(), destinations: new Set<string>() }
    for (const [index, { automationId, destinationId }] of deliveries.entries()) {
      if (!isDue(taken[index]!)) continue
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
    return known
  })

  const claimOf = (one: TakenDelivery, delivery: Delivery, known: Receivers): Effect.Effect<Claim> => {
    if (isDue(one)) {
      const receiver = known.get(laneOf(delivery).receiver) ?? null
      return Effect.succeed(inHand(one, { delivery, reason: "due", result: null, receiver }))
    }
    if (one.held === null)
      return Effect.succeed(inHand(one, { delivery, reason: "lost", result: null, receiver: null }))
    // Also where whoever was to record it went missing: what is known stays known.
    return Effect.map(texts.decode<AttemptResult>(one.held, delivery.body), (result) =>
      inHand(one, { delivery, reason: "answered", result, receiver: null })
    )
  }

  return Effect.fnUntraced(function* (options: ClaimOptions) {
    const taken = yield* take(options)
    if (taken.length === 0) return []
    yield* agendaTaken
    const deliveries = yield* rows.queued(taken.map(({ delivery }) => delivery))
    const known = yield* receiversOf(taken, deliveries)
    return yield* forEachEager(taken, (one, index) => claimOf(one, deliveries[index]!, known))
  })
}
