import { Schema } from "effect"
import { dateTime, nullableText, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { flag, id, listOf, optional } from "../fields.ts"
import { ReceiverHealth } from "./Statistics.ts"
import {
  headers,
  maskedHeaders,
  maskedSecret,
  previousSecrets,
  secretToSet,
  WebhookMethod,
  webhookUrl
} from "./Webhook.ts"

const payload = nullableText(
  "Template of the payload: a JSON text with `{{variable}}`. Null: the default payload.",
  '{"title": "{{recording.title}}", "errors": {{recording.console_errors}}}'
)

const folderId = text("Id of the folder: every recording that is added to it fires.", "vip")

export const Automation = Schema.Struct({
  id: id("automation"),
  folder_id: folderId,
  url: webhookUrl,
  method: WebhookMethod,
  headers: maskedHeaders,
  payload,
  secret: text("Signs every delivery; masked but for its last characters.", maskedSecret),
  previous_secrets: previousSecrets,
  enabled: flag("Whether it fires."),
  health: ReceiverHealth,
  created_at: dateTime("When it was made.")
}).annotate({
  identifier: "Automation",
  description: "A webhook that fires for every recording that is added to its folder."
})
export type Automation = typeof Automation.Type

export const AutomationPage = Schema.Struct({
  pagination: Pagination,
  automations: listOf(Automation, "The automations of this page, in the order in which they were made.")
}).annotate({ identifier: "AutomationPage", description: "A page of automations." })

const others = { method: WebhookMethod, headers, payload, enabled: flag("Whether it fires. Default: true.") }

export const AutomationInput = Schema.Struct({
  folder_id: folderId,
  url: webhookUrl,
  ...optional({ ...others, secret: secretToSet })
}).annotate({
  identifier: "AutomationInput",
  description: "An automation to create. Default: a generated secret, and the method `POST`."
})

export const AutomationChange = Schema.Struct(optional({ folder_id: folderId, url: webhookUrl, ...others })).annotate({
  identifier: "AutomationChange",
  description: "What to change of an automation; at least one of these. Its secret is changed by rotating it.",
  minProperties: 1
})
