import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { RecordingType } from "../../wire/Recording.ts"
import { flag, flagAs, id, listOf, nullableTextAs, textAs } from "../fields.ts"
import { ReceiverHealth } from "./Statistics.ts"
import { maskedHeaders, maskedSecret, previousSecrets, WebhookMethod } from "./Webhook.ts"

const AutomationCondition = Schema.Struct({
  platforms: listOf(
    Schema.String.annotate({ examples: ["zendesk"] }),
    "Platforms of the recordings that are sent; empty for all."
  ),
  types: listOf(RecordingType, "Types of the recordings that are sent; empty for all."),
  has_ticket: flag("Whether only recordings with a ticket, conversation, issue or object are sent.", false)
}).annotate({
  identifier: "AutomationCondition",
  description: "Condition on the recordings that are sent. Another recording makes a delivery in the state `skipped`."
})

export const Automation = Schema.Struct({
  id: id("automation"),
  folder_id: textAs(input.automationFields.folder_id),
  url: textAs(input.automationUrl),
  method: WebhookMethod,
  headers: maskedHeaders,
  payload: nullableTextAs(input.automationFields.payload),
  only: AutomationCondition,
  secret: text("Secret that signs each delivery, masked except for its last characters.", maskedSecret),
  previous_secrets: previousSecrets,
  enabled: flagAs(input.automationFields.enabled),
  health: ReceiverHealth,
  created_at: dateTime("Time at which the automation was created.")
}).annotate({
  identifier: "Automation",
  description: "Webhook that fires for each recording that is added to a folder."
})
export type Automation = typeof Automation.Type

export const AutomationPage = Schema.Struct({
  pagination: Pagination,
  automations: listOf(Automation, "The automations of this page, in the order in which they were created.")
}).annotate({ identifier: "AutomationPage", description: "A page of automations." })

export const AutomationInput = input.AutomationInput.annotate({
  identifier: "AutomationInput",
  examples: [{ folder_id: "vip", url: "https://hooks.example.com/tapedeck" }]
})

export const AutomationChange = input.AutomationChange.annotate({
  identifier: "AutomationChange",
  examples: [{ enabled: false }]
})
