import type { AuditEntry, NoDeliveryReason } from "@tapedeck/domain"

/** The reason why there is no delivery, as a sentence, and the audit entry from which it follows. */
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
