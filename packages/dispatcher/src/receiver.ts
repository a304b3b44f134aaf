import type { Receiver } from "@tapedeck/domain"

/** A receiver: what is left out is `POST`, 10 seconds, no headers of its own, Standard Webhooks, no retries, enabled. */
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
