import type { AuditDestination } from "@tapedeck/domain"
import { type AuditedField, shown } from "../audit/audited.ts"
import { auditedHeaders, auditedUrl } from "./webhookFields.ts"

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
