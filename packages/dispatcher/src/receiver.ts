import type { Receiver } from "@tapedeck/domain"

/** Returns a receiver. Defaults: `POST`, 10 seconds, no custom headers, Standard Webhooks only, no retries, enabled. */
export const makeReceiver = (receiver: Pick<Receiver, "url"> & Partial<Receiver>): Receiver => ({
  method: "POST",
  headers: {},
  timeoutMs: 10_000,
  secret: null,
  previousSecrets: [],
  scheme: null,
  schedule: [],
  enabled: true,
  ...receiver
})
