import { Schema } from "effect"
import { count, dateTime } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { flag, id, listOf, optional } from "../fields.ts"
import { AuditCategory, AuditEventType, AuditSeverity } from "./AuditEntry.ts"
import { ReceiverHealth } from "./Statistics.ts"
import {
  AuditSignature,
  headers,
  maskedHeaders,
  maskedSecret,
  previousSecrets,
  secretToSet,
  webhookUrl
} from "./Webhook.ts"

const name = Schema.String.annotate({ description: "Label: not blank.", examples: ["SIEM"], maxLength: 255 })

const description = Schema.NullOr(Schema.String.annotate({ maxLength: 1000 })).annotate({
  description: "For people.",
  examples: ["Security team's collector"]
})

const filters = {
  categories: listOf(AuditCategory, "Empty: all."),
  event_types: listOf(AuditEventType, "Empty: all."),
  severities: listOf(AuditSeverity, "Empty: all.")
}

const AuditFilters = Schema.Struct(filters).annotate({
  identifier: "AuditFilters",
  description: "What is let through: within a list any, between lists all."
})

const settings = {
  timeout_seconds: count("Maximum time of an attempt, in seconds: 1 to 300. Default: 30.", 30),
  max_retries: count("Maximum number of retries: 0 to 10. Default: 6.", 6),
  signature: AuditSignature,
  enabled: flag("Whether entries are sent to it. Default: true.")
}

export const AuditDestination = Schema.Struct({
  id: id("audit destination"),
  name,
  url: webhookUrl,
  description,
  headers: maskedHeaders,
  secret: Schema.NullOr(Schema.String).annotate({
    description: "Signs every delivery; masked but for its last characters. Null: deliveries are not signed.",
    examples: [maskedSecret]
  }),
  previous_secrets: previousSecrets,
  filters: AuditFilters,
  ...settings,
  health: ReceiverHealth,
  created_at: dateTime("When it was made.")
}).annotate({ identifier: "AuditDestination", description: "A monitoring system that audit entries are sent to." })
export type AuditDestination = typeof AuditDestination.Type

export const AuditDestinationPage = Schema.Struct({
  pagination: Pagination,
  audit_destinations: listOf(AuditDestination, "The destinations of this page, in the order in which they were made.")
}).annotate({ identifier: "AuditDestinationPage", description: "A page of audit destinations." })

const others = {
  description,
  headers,
  filters: Schema.Struct(optional(filters)).annotate({
    description: "What is let through: within a list any, between lists all. A list that is left out lets all through."
  }),
  ...settings
}

export const AuditDestinationInput = Schema.Struct({
  name,
  url: webhookUrl,
  ...optional({
    ...others,
    secret: Schema.NullOr(secretToSet).annotate({ description: "None: deliveries are not signed." })
  })
}).annotate({ identifier: "AuditDestinationInput", description: "An audit destination to make." })

export const AuditDestinationChange = Schema.Struct(optional({ name, url: webhookUrl, ...others })).annotate({
  identifier: "AuditDestinationChange",
  description: "What to change of an audit destination; at least one of these. Its secret is changed by rotating it.",
  minProperties: 1
})
