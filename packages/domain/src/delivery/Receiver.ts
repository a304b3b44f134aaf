import * as Schema from "effect/Schema"
import type { SigningSecrets } from "../webhookSecret.ts"
import type { RetrySchedule } from "./schedule.ts"

/** How the digest is written in `X-Webhook-Signature`. */
export const AuditSignature = Schema.Literals(["hex", "sha256=hex", "base64"])
export type AuditSignature = typeof AuditSignature.Type

/** How a delivery is signed: by the vendor's header, or by `X-Webhook-Signature` in this encoding. */
export type SignatureScheme =
  | { readonly kind: "folder" }
  | { readonly kind: "audit"; readonly encoding: AuditSignature }

/** Where and how deliveries are sent: all that sending needs to know. */
export interface Receiver extends SigningSecrets {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Of an attempt, from DNS to the last byte of the response. */
  readonly timeoutMs: number
  readonly scheme: SignatureScheme
  readonly schedule: RetrySchedule
  /** If not, only send-tests are sent. */
  readonly enabled: boolean
}
