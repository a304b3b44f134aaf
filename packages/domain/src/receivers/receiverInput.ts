import * as Schema from "effect/Schema"
import {
  AuditCategory as Category,
  AuditEventType as EventType,
  AuditSeverity as Severity
} from "../audit/AuditEntry.ts"
import { MAX_AUDIT_RETRIES } from "../delivery/schedule.ts"
import {
  atMost,
  change,
  flag,
  integer,
  label,
  list,
  listUpTo,
  nullableText,
  nullableTextUpTo,
  object,
  oneOf,
  optional,
  record,
  secret,
  text,
  textId
} from "../input/fields.ts"
import { RecordingType } from "../recordings/Recording.ts"
import { WebhookMethod } from "./Automation.ts"
import { AuditSignature } from "./Receiver.ts"
import { DEFAULT_OVERLAP_MS, MAX_OVERLAP_MS } from "./webhookSecret.ts"

/** URL of a webhook. The service may have further rules for it. */
export const webhookUrl = text("HTTPS URL of the receiver.")
  .check(atMost(2048))
  .annotate({ format: "uri", examples: ["https://hooks.example.com/tapedeck"] })

/** URL of an automation. */
export const automationUrl = text(
  "HTTPS URL of the receiver. Path segments and query values can have variables, such as `{{recording.ticket_id}}`, which are percent-encoded. " +
    "If one is missing, the delivery is `skipped`."
)
  .check(atMost(2048))
  .annotate({ examples: ["https://hooks.example.com/tickets/{{recording.ticket_id}}/notes"] })

export const webhookHeaders = record(
  Schema.String.annotate({ message: "must be a string" }),
  "Custom headers of the request: names to values. Headers that the service sets are refused: `Host`, the signature headers, and " +
    "those of the connection and the body (`Connection`, `Content-Encoding`, `Content-Length`, `Expect`, `Keep-Alive`, " +
    "`Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade`)."
).annotate({ examples: [{ "X-Api-Key": "k-4711" }] })

export const webhookSecret = secret(
  "Secret that signs each delivery. After `whsec_`, the key is base64; any other text is the key itself."
).annotate({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })

/** Maximum length of an automation's lists of platforms and types. */
const maxConditions = 20

export const automationOnly = object(
  optional({
    platforms: listUpTo(
      maxConditions,
      text("One of the eight helpdesks, or the service's own app.").annotate({ examples: ["zendesk"] }),
      "Platforms of the recordings that are sent; empty for all."
    ).annotate({ examples: [["zendesk"]] }),
    types: listUpTo(
      maxConditions,
      oneOf(RecordingType.literals, "Type of the recording.").annotate({
        examples: ["Received"]
      }),
      "Types of the recordings that are sent; empty for all."
    ).annotate({ examples: [["Received"]] }),
    has_ticket: flag(
      "Whether only recordings with a ticket, conversation, issue or object are sent. Default: false."
    ).annotate({
      examples: [true]
    })
  }),
  "Condition on the recordings that are sent. All parts must hold. Another recording makes a delivery in the state `skipped`. `{}` for no condition, which is the default."
).annotate({ examples: [{ platforms: ["zendesk"], types: [], has_ticket: true }] })

/** Fields of an automation besides its folder, its URL and its secret. */
export const automationSettings = {
  method: oneOf(
    WebhookMethod.literals,
    "Method of the request. `DELETE` requests have the body, too. Default: `POST`."
  ).annotate({
    identifier: "WebhookMethod",
    examples: ["POST"]
  }),
  headers: webhookHeaders,
  payload: nullableText(
    "Template of the payload: a JSON text with placeholders such as `{{recording.title}}`, or with a filter, `{{recording.title | html}}`; null " +
      "for the default payload."
  ).annotate({ examples: ['{"title": "{{recording.title}}", "errors": {{recording.console_errors}}}'] }),
  only: automationOnly,
  enabled: flag("Whether the automation sends deliveries. Default: true.").annotate({ examples: [true] })
}

export const automationFields = {
  folder_id: textId("Folder of the automation. Each recording that is added to it is sent.").annotate({
    examples: ["vip"]
  }),
  url: automationUrl,
  ...automationSettings
}

const { folder_id, url } = automationFields

export const AutomationInput = object(
  { folder_id, url, ...optional({ ...automationSettings, secret: webhookSecret }) },
  "An automation to create. Without `secret`, the service generates one."
)
export type AutomationInput = typeof AutomationInput.Type

export const AutomationChange = change(
  automationFields,
  "Changes to an automation. Fields that you omit keep their value. The secret is changed by rotation."
)
export type AutomationChange = typeof AutomationChange.Type

export const auditCategory = oneOf(Category.literals, "Category of the audit event.").annotate({
  identifier: "AuditCategory",
  examples: ["admin_actions"]
})

export const auditEventType = oneOf(EventType.literals, "Type of the audit event.").annotate({
  identifier: "AuditEventType",
  examples: ["automation.updated"]
})

export const auditSeverity = oneOf(Severity.literals, "Severity of the audit event.").annotate({
  identifier: "AuditSeverity",
  examples: ["medium"]
})

export const auditFilters = {
  categories: list(auditCategory, "Categories that pass; empty for all."),
  event_types: list(auditEventType, "Event types that pass; empty for all."),
  severities: list(auditSeverity, "Severities that pass; empty for all.")
}

/** Fields of an audit destination besides its name, its URL and its secret. */
export const destinationSettings = {
  description: nullableTextUpTo(1000, "Description of the destination; null for none.").annotate({
    examples: ["Security team's collector"]
  }),
  headers: webhookHeaders,
  timeout_seconds: integer(
    "must be an integer from 1 to 300",
    { minimum: 1, maximum: 300 },
    "Maximum time of an attempt, in seconds. Default: 30."
  ).annotate({ examples: [30] }),
  max_retries: integer(
    `must be an integer from 0 to ${MAX_AUDIT_RETRIES}`,
    { minimum: 0, maximum: MAX_AUDIT_RETRIES },
    "Maximum number of retries after the first attempt. Default: 6."
  ).annotate({ examples: [6] }),
  filters: object(
    optional(auditFilters),
    "Filters of the audit entries that are sent. An entry must match one item of each list. A list that you omit lets all entries pass."
  ),
  signature: oneOf(
    AuditSignature.literals,
    "Encoding of the digest in `X-Webhook-Signature`. Default: `hex`."
  ).annotate({
    identifier: "AuditSignature",
    examples: ["hex"]
  }),
  enabled: flag("Whether audit entries are sent to the destination. Default: true.").annotate({ examples: [true] })
}

export const destinationFields = {
  name: label("Label of the destination.").annotate({ examples: ["SIEM"] }),
  url: webhookUrl,
  ...destinationSettings
}

export const AuditDestinationInput = object(
  {
    name: destinationFields.name,
    url: webhookUrl,
    ...optional({
      ...destinationSettings,
      secret: Schema.NullOr(webhookSecret).annotate({
        message: "must be a string or null",
        description: "Secret that signs each delivery; null for deliveries without a signature, which is the default.",
        examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
      })
    })
  },
  "An audit destination to create."
)
export type AuditDestinationInput = typeof AuditDestinationInput.Type

export const AuditDestinationChange = change(
  destinationFields,
  "Changes to an audit destination. Fields that you omit keep their value. The secret is changed by rotation."
)
export type AuditDestinationChange = typeof AuditDestinationChange.Type

const maxOverlapSeconds = MAX_OVERLAP_MS / 1000

export const SecretRotation = object(
  optional({
    secret: webhookSecret,
    overlap_seconds: integer(
      `must be an integer from 0 to ${maxOverlapSeconds}`,
      { minimum: 0, maximum: maxOverlapSeconds },
      "Time for which the old secret still signs deliveries, in seconds. 0 ends all old secrets at once. Default: " +
        `${DEFAULT_OVERLAP_MS / 1000}, a day.`
    ).annotate({ examples: [86_400] })
  }),
  "A new secret, and the time for which the old one stays valid in addition. Without `secret`, the service generates one."
)
export type SecretRotation = typeof SecretRotation.Type
