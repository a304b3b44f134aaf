import { type AuditDestination, AuditSignature } from "@tapedeck/domain"
import { AuditCategory, AuditEventType, AuditSeverity } from "@tapedeck/domain/audit"
import { MAX_AUDIT_RETRIES } from "@tapedeck/domain/delivery"
import { flag, integer, label, list, nullableTextUpTo, object, oneOf, optional, secret } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type AuditedField, shown } from "../audit/audited.ts"
import { auditedHeaders, auditedUrl, customHeaders, webhookUrl } from "./webhookFields.ts"

const filters = object(
  optional({
    categories: list(oneOf(AuditCategory.literals, "Category."), "Empty: all."),
    event_types: list(oneOf(AuditEventType.literals, "Event type."), "Empty: all."),
    severities: list(oneOf(AuditSeverity.literals, "Severity."), "Empty: all.")
  }),
  "What is let through: within a list any, between lists all."
)

const required = { name: label("Label."), url: webhookUrl }

const others = {
  description: nullableTextUpTo(1000, "For people."),
  headers: customHeaders,
  timeout_seconds: integer(
    "must be an integer from 1 to 300",
    { minimum: 1, maximum: 300 },
    "How long an attempt may take. Default: 30."
  ),
  max_retries: integer(
    `must be an integer from 0 to ${MAX_AUDIT_RETRIES}`,
    { minimum: 0, maximum: MAX_AUDIT_RETRIES },
    "Attempts after the first. Default: 6."
  ),
  filters,
  signature: oneOf(AuditSignature.literals, "How the digest is written. Default: `hex`."),
  enabled: flag("Default: true.")
}

export const NewDestination = object(
  {
    ...required,
    ...optional({
      ...others,
      secret: Schema.NullOr(secret("Signs every delivery.")).annotate({ message: "must be a string or null" })
    })
  },
  "An audit destination to make."
)

export const DestinationChange = object(optional({ ...required, ...others }), "What to change of a destination.")
export type DestinationChange = typeof DestinationChange.Type

export const destinationTarget = ({ id }: AuditDestination) => ({ type: "audit_destination", id })

/** A destination in the form of the audit log. */
export const destinationFields = (destination: AuditDestination): Readonly<Record<string, AuditedField>> => ({
  name: shown(destination.name),
  url: auditedUrl(destination.url),
  description: shown(destination.description),
  headers: auditedHeaders(destination.headers),
  timeout_seconds: shown(destination.timeoutMs / 1000),
  max_retries: shown(destination.maxRetries),
  filters: shown({
    categories: destination.filters.categories,
    event_types: destination.filters.eventTypes,
    severities: destination.filters.severities
  }),
  signature: shown(destination.signature),
  enabled: shown(destination.enabled)
})
