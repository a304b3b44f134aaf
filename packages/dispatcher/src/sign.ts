import {
  AUDIT_SIGNATURE_HEADER,
  type AuditSignature,
  type HeaderList,
  type Instant,
  vendorSignatureHeader
} from "@tapedeck/domain"
import { signAuditWebhook, signFolderWebhook, signStandardWebhook } from "@tapedeck/signing"

/** How a receiver can tell that a delivery is ours: by the vendor's header, by the audit header, or (no secret) not at all. */
export type Signature =
  | { readonly kind: "folder"; readonly vendor: string; readonly secret: string }
  | { readonly kind: "audit"; readonly encoding: AuditSignature; readonly secret: string | null }

export interface Signable {
  readonly deliveryId: string
  readonly startedAt: Instant
  readonly body: Uint8Array
  readonly signature: Signature
  /** Whether the Standard Webhooks headers are sent (W2). */
  readonly standardWebhooks: boolean
}

/** The headers that sign one attempt (Signing; W1, W2, A1), names in lower case. */
export const signatureHeaders = (signable: Signable): HeaderList => {
  const { body, deliveryId: id, signature, startedAt } = signable
  const headers: Array<readonly [string, string]> = []
  if (signature.kind === "folder") {
    const { secret, vendor } = signature
    headers.push([vendorSignatureHeader(vendor).toLowerCase(), signFolderWebhook({ body, secret })])
  } else if (signature.secret !== null) {
    const { encoding, secret } = signature
    headers.push([AUDIT_SIGNATURE_HEADER.toLowerCase(), signAuditWebhook({ body, secret, encoding })])
  }
  if (signable.standardWebhooks) {
    const timestamp = Math.floor(startedAt / 1000)
    headers.push(["webhook-id", id], ["webhook-timestamp", String(timestamp)])
    if (signature.secret !== null) {
      headers.push(["webhook-signature", signStandardWebhook({ id, timestamp, body, secret: signature.secret })])
    }
  }
  return headers
}
