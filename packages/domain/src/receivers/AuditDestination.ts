import * as Schema from "effect/Schema"
import { AuditCategory, type AuditEntry, AuditEventType, AuditSeverity } from "../audit/AuditEntry.ts"
import { classify } from "../audit/eventTypes.ts"
import { auditSchedule, MAX_AUDIT_RETRIES } from "../delivery/schedule.ts"
import { AccountId, DestinationId } from "../ids.ts"
import { Instant } from "../time.ts"
import { AUDIT_SIGNATURE_HEADER } from "./headers.ts"
import { AuditSignature, type Receiver } from "./Receiver.ts"
import { PreviousSecret } from "./webhookSecret.ts"

/** Each an empty list or a list of what is let through. */
export const AuditFilters = Schema.Struct({
  categories: Schema.Array(AuditCategory),
  eventTypes: Schema.Array(AuditEventType),
  severities: Schema.Array(AuditSeverity)
})
export type AuditFilters = typeof AuditFilters.Type

/** Settings of a destination that are not given. */
export const auditDestinationDefaults = { timeoutMs: 30_000, maxRetries: 6, signature: "hex" } as const

/** A monitoring system that audit entries are sent to. */
export const AuditDestination = Schema.Struct({
  id: DestinationId,
  accountId: AccountId,
  name: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  /** Null: its deliveries are not signed. */
  secret: Schema.NullOr(Schema.String),
  /** Sign along for the overlap of a rotation, newest first. */
  previousSecrets: Schema.Array(PreviousSecret),
  headers: Schema.Record(Schema.String, Schema.String),
  /** 1 to 300 seconds. */
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

/** Whether an entry is sent: within a list any, between lists all; an empty list lets everything through. */
export const passesFilters = (entry: Pick<AuditEntry, "eventType">, filters: AuditFilters): boolean => {
  const { category, severity } = classify(entry.eventType)
  return (
    lets(filters.categories, category) &&
    lets(filters.eventTypes, entry.eventType) &&
    lets(filters.severities, severity)
  )
}

const lets = <A>(list: ReadonlyArray<A>, value: A): boolean => list.length === 0 || list.includes(value)
