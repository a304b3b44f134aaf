import type { Claim } from "@tapedeck/core"
import type { Delivery, Receiver } from "@tapedeck/domain"

type Attempting = Extract<Delivery["state"], { readonly _tag: "Attempting" }>

/** The state of a delivery in flight. */
export const attempting = (delivery: Delivery): Attempting => {
  if (delivery.state._tag !== "Attempting")
    throw new Error(`delivery ${delivery.id} in flight is ${delivery.state._tag}`)
  return delivery.state
}

/** How logs name an attempt. */
export const attemptFields = ({ delivery }: Claim) => ({
  delivery_id: delivery.id,
  attempt: attempting(delivery).attempt
})

/** Whether the delivery is sent: its receiver was not removed, and is enabled or this is a send-test (W11). */
export const isSent = ({ test }: Delivery, receiver: Receiver | null): receiver is Receiver =>
  receiver !== null && (receiver.enabled || test)
