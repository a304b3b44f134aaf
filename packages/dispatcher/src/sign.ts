import {
  AUDIT_SIGNATURE_HEADER,
  type AuditSignature,
  type HeaderList,
  type Instant,
  vendorSignatureHeader
} from "@tapedeck/domain"
import { signAuditWebhook, signFolderWebhook, signStandardWebhook } from "@tapedeck/signing"

/**
 * How a receiver verifies a delivery: by the vendor's header, by the audit header, or (without a secret) not at all. The first secret
 * is the current one; during a rotation the previous ones sign too. A header with one signature has the current secret's;
 * `webhook-signature` has one of each.
 */
export type Signature =
  | { readonly kind: "folder"; readonly vendor: string; readonly secrets: ReadonlyArray<string> }
  | { readonly kind: "audit"; readonly encoding: AuditSignature; readonly secrets: ReadonlyArray<string> }

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
  const [secret] = signature.secrets
  if (secret !== undefined) {
    headers.push(
      signature.kind === "folder"
        ? [vendorSignatureHeader(signature.vendor).toLowerCase(), signFolderWebhook({ body, secret })]
        : [AUDIT_SIGNATURE_HEADER.toLowerCase(), signAuditWebhook({ body, secret, encoding: signature.encoding })]
    )
  }
  if (signable.standardWebhooks) {
    const timestamp = Math.floor(startedAt / 1000)
    headers.push(["webhook-id", id], ["webhook-timestamp", String(timestamp)])
    const entries = signature.secrets.map((one) => signStandardWebhook({ id, timestamp, body, secret: one }))
    if (entries.length > 0) headers.push(["webhook-signature", entries.join(" ")])
  }
  return headers
}
