import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { flagAs, id, integerAs, listOf, nullableTextAs, textAs, uriAs } from "../fields.ts"
import { AuditCategory, AuditEventType, AuditSeverity } from "./AuditEntry.ts"
import { ReceiverHealth } from "./Statistics.ts"
import { AuditSignature, maskedHeaders, maskedSecret, previousSecrets } from "./Webhook.ts"

const AuditFilters = Schema.Struct({
  categories: listOf(AuditCategory, "Categories that pass; empty for all."),
  event_types: listOf(AuditEventType, "Event types that pass; empty for all."),
  severities: listOf(AuditSeverity, "Severities that pass; empty for all.")
}).annotate({
  identifier: "AuditFilters",
  description: "Filters of the audit entries that are sent. An entry must match one item of each list."
})

export const AuditDestination = Schema.Struct({
  id: id("audit destination"),
  name: textAs(input.destinationFields.name),
  url: uriAs(input.webhookUrl),
  description: nullableTextAs(input.destinationFields.description),
  headers: maskedHeaders,
  secret: Schema.NullOr(Schema.String).annotate({
    description:
      "Secret that signs each delivery, masked except for its last characters; null if deliveries are not signed.",
    examples: [maskedSecret]
  }),
  previous_secrets: previousSecrets,
  filters: AuditFilters,
  timeout_seconds: integerAs(input.destinationFields.timeout_seconds),
  max_retries: integerAs(input.destinationFields.max_retries),
  signature: AuditSignature,
  enabled: flagAs(input.destinationFields.enabled),
  health: ReceiverHealth,
  created_at: dateTime("Time at which the destination was created.")
}).annotate({ identifier: "AuditDestination", description: "Monitoring system that receives audit entries." })
export type AuditDestination = typeof AuditDestination.Type

export const AuditDestinationPage = Schema.Struct({
  pagination: Pagination,
  audit_destinations: listOf(
    AuditDestination,
    "The destinations of this page, in the order in which they were created."
  )
}).annotate({ identifier: "AuditDestinationPage", description: "A page of audit destinations." })

export const AuditDestinationInput = input.AuditDestinationInput.annotate({
  identifier: "AuditDestinationInput",
  examples: [{ name: "SIEM", url: "https://siem.example.com/tapedeck" }]
})

export const AuditDestinationChange = input.AuditDestinationChange.annotate({
  identifier: "AuditDestinationChange",
  examples: [{ enabled: false }]
})
