import { type Delivery, type Receiver, receiverOfAutomation, receiverOfDestination } from "@tapedeck/domain"
import { addressedTo } from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import type { Store } from "../store/Store.ts"

/** Returns the present receiver of a delivery; null if it was deleted. */
export const findReceiver = (
  { automations, destinations }: Pick<Store, "automations" | "destinations">,
  delivery: Pick<Delivery, "automationId" | "destinationId" | "urlValues">
): Effect.Effect<Receiver | null> => {
  const { automationId, destinationId } = delivery
  if (automationId !== null) {
    return Effect.map(automations.byId(automationId), (automation) =>
      automation === undefined ? null : addressedTo(receiverOfAutomation(automation), delivery)
    )
  }
  if (destinationId === null) return Effect.succeed(null)
  return Effect.map(destinations.byId(destinationId), (destination) =>
    destination === undefined ? null : receiverOfDestination(destination)
  )
}
