import * as Schema from "effect/Schema"
import type { RetrySchedule } from "../delivery/schedule.ts"
import type { SigningSecrets } from "./webhookSecret.ts"

/** Encoding of the digest in `X-Webhook-Signature`. */
export const AuditSignature = Schema.Literals(["hex", "sha256=hex", "base64"])
export type AuditSignature = typeof AuditSignature.Type

/** Signature of a delivery in addition to Standard Webhooks: the HMAC-SHA256 of its body in a header of this name. */
export interface SignatureScheme {
  /** Name of the header; null for the sender's own, `X-<Vendor>-Signature`. */
  readonly header: string | null
  readonly encoding: AuditSignature
}

/** The receiver of deliveries: everything that sending requires. */
export interface Receiver extends SigningSecrets {
  readonly url: string
  /** Reason why the URL cannot be rendered for a delivery: an attempt is blocked, and sends nothing. */
  readonly urlProblem?: string
  readonly method: string
  /** Custom headers, which replace the sender's headers of the same name. */
  readonly headers: Readonly<Record<string, string>>
  /** Maximum time of an attempt, from DNS to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number
  /** Additional signature; null if deliveries have the headers of Standard Webhooks only. */
  readonly scheme: SignatureScheme | null
  readonly schedule: RetrySchedule
  /** True if deliveries are sent. If false, only send-tests are sent. */
  readonly enabled: boolean
}
