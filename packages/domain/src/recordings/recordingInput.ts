import * as Schema from "effect/Schema"
import {
  atMost,
  change,
  email,
  instant,
  nullableListOfJson,
  nullableNatural,
  nullableTextId,
  nullableTextUpTo,
  object,
  oneOf,
  optional,
  text,
  textId
} from "../input/fields.ts"
import { RecordingType } from "./Recording.ts"
import { MAX_CHARACTERS } from "./recordingChanges.ts"
import { RoomInsightsInput } from "./roomInsightsInput.ts"

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
    "Id of the ticket, conversation, issue or object. The platform's own id defaults to it."
  ).annotate({ examples: ["4711"] }),
  active_ticket_id: nullableShortText("Follow-up ticket in Zendesk.").annotate({ examples: ["4712"] }),
  conversation_id: nullableShortText(
    "Id of the conversation, for Intercom, Help Scout and Freshdesk Chat. Default for these: `ticket_id`."
  ).annotate({ examples: ["215470012"] }),
  issue_id: nullableShortText("Id of the issue, for Jira. Default for Jira: `ticket_id`.").annotate({
    examples: ["SUP-128"]
  }),
  object_id: nullableShortText("Id of the object, for HubSpot. Default for HubSpot: `ticket_id`.").annotate({
    examples: ["1633480912"]
  }),
  user_id: nullableShortText("Id of the user in the helpdesk.").annotate({ examples: ["881204"] }),
  operator_id: nullableShortText("Id of the operator in the helpdesk.").annotate({ examples: ["5521"] }),
  customer_id: nullableShortText("Id of the customer in the helpdesk.").annotate({ examples: ["990017"] })
}

export const HelpdeskInput = object(optional(helpdeskFields), "Ticket to which the recording is linked.").annotate({
  identifier: "HelpdeskInput"
})
export type HelpdeskInput = typeof HelpdeskInput.Type

export const customerFields = {
  email: Schema.NullOr(email("E-mail address.").check(atMost(MAX_SHORT_TEXT))).annotate({
    message: "must be an e-mail address or null",
    description: "E-mail address of the customer; null for none.",
    examples: ["customer@example.com"]
  })
}

export const CustomerInput = object(optional(customerFields), "Customer of the recording.")

const shortText = (description: string, example: string) =>
  nullableShortText(description).annotate({ examples: [example] })

const maxLogCharacters = 65_536
const maxErrorCharacters = 1_000_000

const capturedErrors = (description: string, example: Schema.Json) =>
  nullableListOfJson(maxErrorCharacters, description, example)

/** Fields of a recording in start documents, new recordings and changes of recordings. */
export const recordedFields = {
  recording_source: shortText(
    "Label of the recording's source; null: derived from the helpdesk, such as `Zendesk ticket`.",
    "Zendesk ticket"
  ),
  helpdesk: HelpdeskInput,
  technical_details: object(
    optional({
      vendor: shortText("Browser vendor.", "Google Inc."),
      ip_address: shortText("IP address.", "203.0.113.7"),
      timezone: shortText("Time zone.", "Europe/Berlin"),
      network_type: shortText("Type of network connection.", "4g"),
      isp: shortText("Internet service provider.", "Example Telecom")
    }),
    "Machine and network on which the recording was made."
  ),
  v1_platform: shortText("`platform` of v1: the browser platform.", "Win32"),
  console_logs: nullableTextUpTo(maxLogCharacters, "Raw console output.").annotate({
    examples: ["[error] TypeError: x is null"]
  }),
  console_errors: capturedErrors(
    "Captured console errors, as any JSON; null: the error lines of `console_logs`.",
    "TypeError"
  ),
  network_errors: capturedErrors("Captured network errors, as any JSON.", {
    url: "https://shop.example.com/api/cart",
    status: 503
  }),
  browser: shortText("Browser, for webhooks.", "Firefox 140"),
  os: shortText("Operating system, for webhooks.", "Linux"),
  customer: CustomerInput
}

/** Fields of a recording in start documents and new recordings. */
export const newRecordingFields = {
  ...recordedFields,
  recording_type: oneOf(
    RecordingType.literals,
    "Type of the recording: by a customer, by an agent, or in a live video call. Default: `Received`."
  ).annotate({ examples: ["Received"] }),
  duration: nullableNatural("Length of the recording, in seconds.").annotate({ examples: [42] }),
  room_insights: Schema.NullOr(RoomInsightsInput).annotate({
    message: "must be an object or null",
    description: "Room of the call, for `Live` recordings only. Default: null.",
    examples: [null]
  })
}

const recordingTexts = {
  summary: nullableTextUpTo(MAX_CHARACTERS.summary, "Short summary; null for none.").annotate({
    examples: ["The pay button does nothing."]
  }),
  description: nullableTextUpTo(MAX_CHARACTERS.description, "Longer description; null for none.").annotate({
    examples: ["Open the cart and press Pay."]
  })
}

const owner = (description: string) =>
  Schema.NullOr(Schema.String.annotate({ format: "email" }).check(atMost(254))).annotate({
    message: "must be a string or null",
    description,
    examples: ["bob@acme.test"]
  })

export const RecordingInput = object(
  optional({
    user: owner("E-mail address of the owner; null for none. Default: the caller. Members own what they create."),
    title: nullableRecordingTitle("Title of the recording; null for none.").annotate({ examples: ["Checkout fails"] }),
    ...recordingTexts,
    folder_id: nullableTextId("Folder that the recording enters, and whose automations fire. Default: none.").annotate({
      examples: ["vip"]
    }),
    created_at: instant(
      "Time at which the recording was made, not in the future. Default: now. Only admins may set it."
    ).annotate({ examples: ["2026-01-01T09:00:00.000Z"] }),
    ...newRecordingFields
  }),
  "A recording to create."
)
export type RecordingInput = typeof RecordingInput.Type

export const RecordingChange = change(
  {
    user: owner("E-mail address of the owner; null for none."),
    title: recordingTitle("Title of the recording.").annotate({ examples: ["Checkout fails"] }),
    ...recordingTexts,
    ...recordedFields
  },
  "Changes of a recording. Fields that you omit keep their value, as do omitted keys of `technical_details` and `customer`; " +
    "`helpdesk` is replaced as a whole."
)
export type RecordingChange = typeof RecordingChange.Type

export const FolderChoice = object(
  { folder_id: textId("Folder that the recording enters.").annotate({ examples: ["vip"] }) },
  "The folder of a recording."
)
export type FolderChoice = typeof FolderChoice.Type
