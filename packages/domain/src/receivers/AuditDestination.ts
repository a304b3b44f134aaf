import * as Schema from "effect/Schema"
import { AuditCategory, type AuditEntry, AuditEventType, AuditSeverity } from "../audit/AuditEntry.ts"
import { classify } from "../audit/eventTypes.ts"
import { auditSchedule, MAX_AUDIT_RETRIES } from "../delivery/schedule.ts"
import { AccountId, DestinationId } from "../ids.ts"
import { Instant } from "../time.ts"
import { AUDIT_SIGNATURE_HEADER } from "./headers.ts"
import { AuditSignature, type Receiver } from "./Receiver.ts"
import { PreviousSecret } from "./webhookSecret.ts"

/** Filters of audit entries. Each list has the values that pass; an empty list lets all pass. */
export const AuditFilters = Schema.Struct({
  categories: Schema.Array(AuditCategory),
  eventTypes: Schema.Array(AuditEventType),
  severities: Schema.Array(AuditSeverity)
})
export type AuditFilters = typeof AuditFilters.Type

/** Defaults of a destination's settings. */
export const auditDestinationDefaults = { timeoutMs: 30_000, maxRetries: 6, signature: "hex" } as const

/** A monitoring system that receives audit entries. */
export const AuditDestination = Schema.Struct({
  id: DestinationId,
  accountId: AccountId,
  name: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  /** Secret that signs deliveries; null if deliveries are not signed. */
  secret: Schema.NullOr(Schema.String),
  /** Old secrets that still sign deliveries during the overlap of a rotation, newest first. */
  previousSecrets: Schema.Array(PreviousSecret),
  headers: Schema.Record(Schema.String, Schema.String),
  /** Maximum time of an attempt, in milliseconds: 1 to 300 seconds. */
  timeoutMs: Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 300_000 })),
  maxRetries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_AUDIT_RETRIES })),
  filters: AuditFilters,
  signature: AuditSignature,
  enabled: Schema.Boolean,
  createdAt: Instant
})
export type AuditDestination = typeof AuditDestination.Type

export const receiverOfDestination = ({
  enabled,
  headers,
  maxRetries,
  previousSecrets,
  secret,
  signature: encoding,
  timeoutMs,
  url
}: AuditDestination): Receiver => ({
  url,
  method: "POST",
  headers,
  timeoutMs,
  secret,
  previousSecrets,
  scheme: { header: AUDIT_SIGNATURE_HEADER, encoding },
  schedule: auditSchedule(maxRetries),
  enabled
})

/** Returns whether an entry passes the filters: it must match any value of each list. An empty list lets all entries pass. */
export const passesFilters = (entry: Pick<AuditEntry, "eventType">, filters: AuditFilters): boolean => {
  const { category, severity } = classify(entry.eventType)
  return (
    lets(filters.categories, category) &&
    lets(filters.eventTypes, entry.eventType) &&
    lets(filters.severities, severity)
  )
}

const lets = <A>(list: ReadonlyArray<A>, value: A): boolean => list.length === 0 || list.includes(value)
