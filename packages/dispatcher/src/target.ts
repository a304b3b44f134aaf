import type { Claim, Receiver, ServiceConfig } from "@tapedeck/core"
import { type Delivery, FOLDER_TIMEOUT_MS, signingSecrets } from "@tapedeck/domain"
import type { Signature } from "./sign.ts"

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

/** How a delivery is sent, by the configuration at the start of its attempt (W11). */
export interface Target {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signature: Signature
}

/** The target of a delivery in flight; null if its automation or destination was removed, or is disabled and this is no test. */
export const targetOf = (
  delivery: Delivery,
  receiver: Receiver | null,
  { vendor }: Pick<ServiceConfig["Service"], "vendor">
): Target | null => {
  const { startedAt } = attempting(delivery)
  if (receiver === null) return null
  if (receiver.kind === "automation") {
    const { automation } = receiver
    if (!(automation.enabled || delivery.test)) return null
    const { headers, method, url } = automation
    const signature: Signature = { kind: "folder", vendor, secrets: signingSecrets(automation, startedAt) }
    return { url, method, headers, timeoutMs: FOLDER_TIMEOUT_MS, signature }
  }
  const { destination } = receiver
  if (!(destination.enabled || delivery.test)) return null
  const { headers, signature: encoding, timeoutMs, url } = destination
  const signature: Signature = { kind: "audit", encoding, secrets: signingSecrets(destination, startedAt) }
  return { url, method: "POST", headers, timeoutMs, signature }
}
