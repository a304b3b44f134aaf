import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { flagAs, id, listOf, nullableTextAs, textAs, uriAs } from "../fields.ts"
import { ReceiverHealth } from "./Statistics.ts"
import { maskedHeaders, maskedSecret, previousSecrets, WebhookMethod } from "./Webhook.ts"

export const Automation = Schema.Struct({
  id: id("automation"),
  folder_id: textAs(input.automationFields.folder_id),
  url: uriAs(input.webhookUrl),
  method: WebhookMethod,
  headers: maskedHeaders,
  payload: nullableTextAs(input.automationFields.payload),
  secret: text("Signs every delivery; masked but for its last characters.", maskedSecret),
  previous_secrets: previousSecrets,
  enabled: flagAs(input.automationFields.enabled),
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

export const AutomationInput = input.AutomationInput.annotate({
  identifier: "AutomationInput",
  examples: [{ folder_id: "vip", url: "https://hooks.example.com/tapedeck" }]
})

export const AutomationChange = input.AutomationChange.annotate({
  identifier: "AutomationChange",
  examples: [{ enabled: false }]
})
