import { type Delivery, type Receiver, receiverOfAutomation, receiverOfDestination } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../store/Store.ts"

/** Returns the present receiver of a delivery; null if it was deleted. */
export const findReceiver = (
  { automations, destinations }: Pick<Store, "automations" | "destinations">,
  { automationId, destinationId }: Pick<Delivery, "automationId" | "destinationId">
): Effect.Effect<Receiver | null> => {
  if (automationId !== null) {
    return Effect.map(automations.byId(automationId), (automation) =>
      automation === undefined ? null : receiverOfAutomation(automation)
    )
  }
  if (destinationId === null) return Effect.succeed(null)
  return Effect.map(destinations.byId(destinationId), (destination) =>
    destination === undefined ? null : receiverOfDestination(destination)
  )
}
