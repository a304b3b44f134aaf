import type { AuditEntry, NoDeliveryReason } from "@tapedeck/domain"

/** The reason why there is no delivery, as a sentence, and the audit entry from which it follows. */
export interface Explanation {
  readonly reason: NoDeliveryReason
  readonly text: string
  readonly entry: AuditEntry | null
}

export const explanation = (reason: NoDeliveryReason, text: string, entry: AuditEntry | null = null): Explanation => ({
  reason,
  text,
  entry
})
