import * as Schema from "effect/Schema"
import type { RetrySchedule } from "../delivery/schedule.ts"
import type { SigningSecrets } from "./webhookSecret.ts"

/** How the digest is written in `X-Webhook-Signature`. */
export const AuditSignature = Schema.Literals(["hex", "sha256=hex", "base64"])
export type AuditSignature = typeof AuditSignature.Type

/** How a delivery is signed besides Standard Webhooks: the HMAC-SHA256 of its body in a header of this name. */
export interface SignatureScheme {
  /** Null: the sender's own, `X-<Vendor>-Signature`. */
  readonly header: string | null
  readonly encoding: AuditSignature
}

/** Where and how deliveries are sent: all that sending needs to know. */
export interface Receiver extends SigningSecrets {
  readonly url: string
  readonly method: string
  /** Custom headers, which replace the sender's own of the same name. */
  readonly headers: Readonly<Record<string, string>>
  /** Of an attempt, from DNS to the last byte of the response. */
  readonly timeoutMs: number
  /** Null: it has the headers of Standard Webhooks alone. */
  readonly scheme: SignatureScheme | null
  readonly schedule: RetrySchedule
  /** If not, only send-tests are sent. */
  readonly enabled: boolean
}
