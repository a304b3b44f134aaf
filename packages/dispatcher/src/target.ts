import { ServiceConfig, Store } from "@tapedeck/core"
import { type Delivery, FOLDER_TIMEOUT_MS } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Signature } from "./sign.ts"

/** Where a delivery goes and how, by the configuration of this moment (W11). */
export interface Target {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signature: Signature
}

/** The delivery's target; null when its automation or destination is gone or turned off. */
export const targetOf = Effect.fnUntraced(function* (delivery: Delivery) {
  const store = yield* Store
  if (delivery.automationId !== null) {
    const { vendor } = yield* ServiceConfig
    const automation = yield* store.automations.byId(delivery.automationId)
    if (automation === undefined || !(automation.enabled || delivery.test)) return null
    const { headers, method, secret, url } = automation
    return {
      url,
      method,
      headers,
      timeoutMs: FOLDER_TIMEOUT_MS,
      signature: { kind: "folder", vendor, secret }
    } as Target
  }
  const destination =
    delivery.destinationId === null ? undefined : yield* store.destinations.byId(delivery.destinationId)
  if (destination === undefined || !(destination.enabled || delivery.test)) return null
  const { headers, secret, signature: encoding, timeoutMs, url } = destination
  return { url, method: "POST", headers, timeoutMs, signature: { kind: "audit", encoding, secret } } as Target
})
