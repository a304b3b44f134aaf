import type { AttemptResult, Claim, ClaimOptions, Receiver } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { AttemptTexts } from "./attempts.ts"
import type { Automations } from "./automations.ts"
import type { ReceiverRow, TakeDue, TakenDelivery } from "./claimable.ts"
import type { DeliveryRows } from "./deliveryRows.ts"
import type { Destinations } from "./destinations.ts"
import { forEachEager } from "./eager.ts"
import { ClaimInHand } from "./inHand.ts"

export interface ClaimReceivers {
  readonly automations: Pick<Automations, "opened">
  readonly destinations: Pick<Destinations, "opened">
}

export interface ClaimingParts {
  readonly take: TakeDue
  readonly rows: DeliveryRows
  readonly texts: AttemptTexts
  readonly receivers: ClaimReceivers
  readonly agendaTaken: Effect.Effect<void>
}

/** By their ids: those of one kind say nothing of the other's. */
type Receivers = Readonly<Record<Receiver["kind"], ReadonlyMap<string, Receiver>>>

/** Its attempt is to be made, and its receiver to be known. */
const isDue = ({ held, wasLeased }: TakenDelivery): boolean => held === null && !wasLeased

const inHand = ({ delivery: [sequence, , , stateText], fence }: TakenDelivery, claim: Omit<Claim, "fence">): Claim =>
  new ClaimInHand({ ...claim, fence }, sequence, stateText!)

/** Takes what is due, and makes claims of it. Inside a transaction. */
export const makeClaiming = ({ agendaTaken, receivers, rows, take, texts }: ClaimingParts) => {
  const { automations, destinations } = receivers

  const receiverOf = ([kind, document, sealed]: ReceiverRow): Effect.Effect<Receiver> =>
    kind === "automation"
      ? Effect.mapEager(automations.opened({ document, sealed }), (automation) => ({ kind, automation }))
      : Effect.mapEager(destinations.opened({ document, sealed }), (destination) => ({ kind, destination }))

  /** Each is opened once, however many deliveries go to it. */
  const receiversOf = (found: ReadonlyArray<ReceiverRow>): Effect.Effect<Receivers> =>
    Effect.mapEager(forEachEager(found, receiverOf), (all) => {
      const known = { automation: new Map<string, Receiver>(), destination: new Map<string, Receiver>() }
      for (const receiver of all) {
        if (receiver.kind === "automation") known.automation.set(receiver.automation.id, receiver)
        else known.destination.set(receiver.destination.id, receiver)
      }
      return known
    })

  const claimOf = (one: TakenDelivery, delivery: Delivery, known: Receivers): Effect.Effect<Claim> => {
    if (isDue(one)) {
      const { automationId, destinationId } = delivery
      const receiver =
        automationId === null ? known.destination.get(destinationId!) : known.automation.get(automationId)
      return Effect.succeed(inHand(one, { delivery, reason: "due", result: null, receiver: receiver ?? null }))
    }
    if (one.held === null)
      return Effect.succeed(inHand(one, { delivery, reason: "lost", result: null, receiver: null }))
    // Also where whoever was to record it went missing: what is known stays known.
    return Effect.map(texts.decode<AttemptResult>(one.held), (result) =>
      inHand(one, { delivery, reason: "answered", result, receiver: null })
    )
  }

  return Effect.fnUntraced(function* (options: ClaimOptions) {
    const taken = yield* take(options)
    if (taken.deliveries.length === 0) return []
    yield* agendaTaken
    const deliveries = yield* rows.queued(taken.deliveries.map(({ delivery }) => delivery))
    const known = yield* receiversOf(taken.receivers)
    return yield* forEachEager(taken.deliveries, (one, index) => claimOf(one, deliveries[index]!, known))
  })
}
