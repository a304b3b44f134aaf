import type { AuditEntry, NoDeliveryReason } from "@tapedeck/domain"

/** Why there is no delivery: what is known, in words, and the audit entry that it follows from. */
export interface Verdict {
  readonly reason: NoDeliveryReason
  readonly text: string
  readonly entry: AuditEntry | null
}

export const verdict = (reason: NoDeliveryReason, text: string, entry: AuditEntry | null = null): Verdict => ({
  reason,
  text,
  entry
})
