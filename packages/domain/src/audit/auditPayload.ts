import type { JsonObject } from "../json.ts"
import type { Account } from "../people/Account.ts"
import type { User } from "../people/User.ts"
import { toIso } from "../time.ts"
import type { AuditEntry } from "./AuditEntry.ts"
import { classify } from "./eventTypes.ts"

export interface AuditPayloadInput {
  readonly entry: AuditEntry
  /** User who acted; null for the system. */
  readonly user: Pick<User, "id" | "name" | "email"> | null
  readonly account: Pick<Account, "id" | "name">
}

/**
 * Returns the body of an audit delivery, with keys in a fixed order. Strings are never null: an unknown address or user agent is `""`.
 */
export const auditPayload = ({ entry, user, account }: AuditPayloadInput): JsonObject => {
  const { category, severity } = classify(entry.eventType)
  const { targetType, targetId, ...rest } = entry.metadata
  return {
    event: entry.eventType,
    event_category: category,
    severity,
    timestamp: toIso(entry.at),
    audit_log: {
      id: entry.id,
      event_type: entry.eventType,
      status: entry.status,
      ip_address: entry.ipAddress ?? "",
      user_agent: entry.userAgent ?? "",
      metadata: { target_type: targetType, target_id: targetId, ...rest }
    },
    user: user === null ? null : { id: user.id, name: user.name, email: user.email },
    account: { id: account.id, name: account.name }
  }
}
