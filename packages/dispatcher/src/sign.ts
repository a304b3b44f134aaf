import type { HeaderList, Instant, Receiver } from "@tapedeck/domain"
import { signingSecrets, vendorSignatureHeader } from "@tapedeck/domain/internal/receivers"
import { signAuditWebhook, signStandardWebhook } from "@tapedeck/signing"

export interface Signable {
  readonly deliveryId: string
  readonly startedAt: Instant
  readonly body: Uint8Array
  readonly receiver: Pick<Receiver, "previousSecrets" | "scheme" | "secret">
  readonly vendor: string
  /** True if the Standard Webhooks headers are sent. */
  readonly standardWebhooks: boolean
}

/**
 * Returns the headers that sign an attempt, with names in lower case. `webhook-signature` has a signature for each secret that signs during
 * a rotation; the other headers have one, of the current secret. Without a secret, nothing is signed.
 */
export const signatureHeaders = (signable: Signable): HeaderList => {
  const { body, deliveryId: id, receiver, startedAt, vendor } = signable
  const { scheme } = receiver
  const headers: Array<readonly [string, string]> = []
  const secrets = signingSecrets(receiver, startedAt)
  const [secret] = secrets
  if (secret !== undefined && scheme !== null) {
    const { encoding, header } = scheme
    const name = header ?? vendorSignatureHeader(vendor)
    headers.push([name.toLowerCase(), signAuditWebhook({ body, secret, encoding })])
  }
  if (signable.standardWebhooks) {
    const timestamp = Math.floor(startedAt / 1000)
    headers.push(["webhook-id", id], ["webhook-timestamp", String(timestamp)])
    const entries = secrets.map((one) => signStandardWebhook({ id, timestamp, body, secret: one }))
    if (entries.length > 0) headers.push(["webhook-signature", entries.join(" ")])
  }
  return headers
}
