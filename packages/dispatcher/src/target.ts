import { ServiceConfig, Store } from "@tapedeck/core"
import { type Delivery, FOLDER_TIMEOUT_MS, signingSecrets } from "@tapedeck/domain"
import { Effect } from "effect"
import { attempting } from "./attempt.ts"
import type { Signature } from "./sign.ts"

/** Where a delivery goes and how, by the configuration of the moment when its attempt starts (W11). */
export interface Target {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signature: Signature
}

/** The target of a delivery in hand; null when its automation or destination is gone, or turned off and this is no test. */
export const targetOf = Effect.fnUntraced(function* (delivery: Delivery) {
  const { startedAt } = attempting(delivery)
  const store = yield* Store
  if (delivery.automationId !== null) {
    const { vendor } = yield* ServiceConfig
    const automation = yield* store.automations.byId(delivery.automationId)
    if (automation === undefined || !(automation.enabled || delivery.test)) return null
    const { headers, method, url } = automation
    return {
      url,
      method,
      headers,
      timeoutMs: FOLDER_TIMEOUT_MS,
      signature: { kind: "folder", vendor, secrets: signingSecrets(automation, startedAt) }
    } as Target
  }
  const destination =
    delivery.destinationId === null ? undefined : yield* store.destinations.byId(delivery.destinationId)
  if (destination === undefined || !(destination.enabled || delivery.test)) return null
  const { headers, signature: encoding, timeoutMs, url } = destination
  const signature = { kind: "audit", encoding, secrets: signingSecrets(destination, startedAt) }
  return { url, method: "POST", headers, timeoutMs, signature } as Target
})
