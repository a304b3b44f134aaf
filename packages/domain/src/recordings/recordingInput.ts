import * as Schema from "effect/Schema"
import { atMost, email, nullableTextUpTo, object, optional, text } from "../input/fields.ts"
import { MAX_CHARACTERS } from "./recordingChanges.ts"

const titleRules = [Schema.isPattern(/\S/u, { message: "must not be blank" }), atMost(MAX_CHARACTERS.title)] as const

export const recordingTitle = (description: string) => text(description).check(...titleRules)

export const nullableRecordingTitle = (description: string) =>
  Schema.NullOr(Schema.String.check(...titleRules)).annotate({ message: "must be a string or null", description })

/** Maximum length of a short text of a recording, so that a page of a list has a maximum size. */
export const MAX_SHORT_TEXT = 255

const nullableShortText = (description: string) => nullableTextUpTo(MAX_SHORT_TEXT, description)

export const helpdeskFields = {
  platform: text("One of the eight helpdesks, or the service's own app. Default: the own app.").annotate({
    examples: ["zendesk"]
  }),
  ticket_id: nullableShortText(
    "Ticket, conversation, issue or object id. If it is the only one, the platform's own id is set to it."
  ).annotate({ examples: ["4711"] }),
  active_ticket_id: nullableShortText("Follow-up ticket in Zendesk.").annotate({ examples: ["4712"] }),
  conversation_id: nullableShortText(
    "Own id of Intercom, Help Scout and Freshdesk Chat, where it defaults to `ticket_id`."
  ).annotate({ examples: ["215470012"] }),
  issue_id: nullableShortText("Own id of Jira, where it defaults to `ticket_id`.").annotate({ examples: ["SUP-128"] }),
  object_id: nullableShortText("Own id of HubSpot, where it defaults to `ticket_id`.").annotate({
    examples: ["1633480912"]
  }),
  user_id: nullableShortText("Id of the user in the helpdesk.").annotate({ examples: ["881204"] }),
  operator_id: nullableShortText("Id of the operator in the helpdesk.").annotate({ examples: ["5521"] }),
  customer_id: nullableShortText("Id of the customer in the helpdesk.").annotate({ examples: ["990017"] })
}

export const HelpdeskInput = object(optional(helpdeskFields), "Ticket to which the recording is linked.")
export type HelpdeskInput = typeof HelpdeskInput.Type

export const customerFields = {
  email: Schema.NullOr(email("E-mail address.").check(atMost(MAX_SHORT_TEXT))).annotate({
    message: "must be an e-mail address or null",
    description: "E-mail address of the customer; null for none.",
    examples: ["customer@example.com"]
  })
}

export const CustomerInput = object(optional(customerFields), "Customer of the recording.")
