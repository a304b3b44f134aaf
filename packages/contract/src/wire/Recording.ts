import { RecordingType as DomainRecordingType } from "@tapedeck/domain"
import { Schema } from "effect"
import {
  count,
  dateTime,
  email,
  nullableCount,
  nullableDateTime,
  nullableEmail,
  nullableText,
  text,
  uri,
  uuid
} from "./fields.ts"
import { Pagination } from "./Pagination.ts"

/**
 * The nine helpdesks; the ninth is the service's own app, whose word is the vendor's, in lower case. So it is
 * a string here, and the OpenAPI document of a running service names the nine.
 */
const Platform = Schema.String.annotate({
  identifier: "Platform",
  description: "The helpdesk that the recording belongs to, or the service's own app.",
  examples: ["zendesk"]
})

export const RecordingType = DomainRecordingType.annotate({
  identifier: "RecordingType",
  description: "Recorded by a customer (`Received`), by an agent (`Sent`), or in a live video call (`Live`).",
  examples: ["Received"]
})

const HelpdeskInfo = Schema.Struct({
  platform: Platform,
  conversation_id: nullableText("Native id of the conversation, for platforms that have conversations.", "215470012"),
  ticket_id: nullableText(
    "Normalized ticket, conversation, issue or object id: what `ticket_id` searches for.",
    "4711"
  ),
  active_ticket_id: nullableText("The current follow-up ticket (Zendesk), when it differs from `ticket_id`.", "4712"),
  user_id: nullableText("Id of the user in the helpdesk.", "881204"),
  operator_id: nullableText("Id of the operator in the helpdesk.", "5521"),
  customer_id: nullableText("Id of the customer in the helpdesk.", "990017"),
  issue_id: nullableText("Native id of the issue (Jira).", "SUP-128"),
  object_id: nullableText("Native id of the object (HubSpot).", "1633480912")
}).annotate({ identifier: "HelpdeskInfo", description: "Where the recording is linked to in the helpdesk." })

const RecordingMetadata = Schema.Struct({
  created_at: dateTime("When the recording was made."),
  updated_at: dateTime("When the recording was last changed."),
  duration: nullableCount("Length in seconds.", 42),
  impressions_count: count("How often the recording's public page was viewed.", 3),
  recording_type: RecordingType,
  recording_source: text("Where the recording came from, for people to read.", "Zendesk ticket"),
  url: uri("Public page of the recording.", "https://tapedeck.test/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  helpdesk_info: HelpdeskInfo
}).annotate({ identifier: "RecordingMetadata", description: "When, how and for what the recording was made." })

const TechnicalDetails = Schema.Struct({
  vendor: nullableText("Browser vendor of the recording user.", "Google Inc."),
  ip_address: nullableText("IP address of the recording user.", "203.0.113.7"),
  timezone: nullableText("Time zone of the recording user.", "Europe/Berlin"),
  network_type: nullableText("Kind of network connection.", "4g"),
  isp: nullableText("Internet service provider.", "Example Telecom")
}).annotate({ identifier: "TechnicalDetails", description: "The machine and network on which it was recorded." })

const Customer = Schema.Struct({
  email: nullableEmail("The customer's e-mail address.")
}).annotate({ identifier: "Customer", description: "The customer of the recording." })

const RecordingUser = Schema.Struct({
  email: email("The agent's e-mail address.", "bob@acme.test"),
  name: text("The agent's name.", "Bob")
}).annotate({ identifier: "RecordingUser", description: "The agent who owns the recording." })

const ParticipantInsight = Schema.Struct({
  participant_id: text("Identifies the participant within the call.", "p-1"),
  display_name: nullableText("Name shown in the call.", "Ada"),
  role: nullableText("Part taken in the call.", "host"),
  browser: nullableText("Browser.", "Chrome 143"),
  os: nullableText("Operating system.", "macOS 15"),
  device: nullableText("Device.", "MacBook Pro"),
  device_type: nullableText("Kind of device.", "desktop"),
  user_agent: nullableText("The browser's User-Agent.", "Mozilla/5.0 (Macintosh)"),
  joined_at: nullableDateTime("When the participant joined.", "2026-01-01T09:00:05.000Z"),
  left_at: nullableDateTime("When the participant left.", "2026-01-01T09:21:40.000Z")
}).annotate({ identifier: "ParticipantInsight", description: "One participant of a live video call." })

const RoomInsights = Schema.Struct({
  started_at: nullableDateTime("When the call began.", "2026-01-01T09:00:00.000Z"),
  ended_at: nullableDateTime("When the call ended.", "2026-01-01T09:22:00.000Z"),
  duration: nullableCount("Length of the call in seconds, from `started_at` to `ended_at`.", 1320),
  total_participant_minutes: Schema.NullOr(Schema.Finite).annotate({
    description: "Minutes in the call, added up over its participants.",
    examples: [43.5]
  }),
  total_unique_participants: nullableCount("How many different people took part.", 2),
  participants_insights: Schema.NullOr(Schema.Array(ParticipantInsight)).annotate({
    description: "Each participant."
  })
}).annotate({ identifier: "RoomInsights", description: "A live video call's room." })

const recordingExample = {
  uuid: "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10",
  title: "Checkout fails",
  summary: "The pay button does nothing in Safari.",
  description: null,
  metadata: {
    created_at: "2026-01-01T09:00:00.000Z",
    updated_at: "2026-01-01T09:05:00.000Z",
    duration: 42,
    impressions_count: 3,
    recording_type: "Received" as const,
    recording_source: "Zendesk ticket",
    url: "https://tapedeck.test/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10",
    helpdesk_info: {
      platform: "zendesk",
      conversation_id: null,
      ticket_id: "4711",
      active_ticket_id: null,
      user_id: "881204",
      operator_id: null,
      customer_id: "990017",
      issue_id: null,
      object_id: null
    }
  },
  technical_details: {
    vendor: "Google Inc.",
    ip_address: "203.0.113.7",
    timezone: "Europe/Berlin",
    network_type: "4g",
    isp: "Example Telecom"
  },
  console_logs: "[error] TypeError: x is null",
  customer: { email: "customer@example.com" },
  user: { email: "bob@acme.test", name: "Bob" },
  room_insights: null
}

/** A recording of v2. */
export const Recording = Schema.Struct({
  uuid: uuid("Identifies the recording."),
  title: nullableText("Title.", "Checkout fails"),
  summary: nullableText("Short summary.", "The pay button does nothing in Safari."),
  description: nullableText("Longer description.", "Steps: open the cart, press Pay, nothing happens."),
  metadata: RecordingMetadata,
  technical_details: TechnicalDetails,
  console_logs: nullableText("Raw console output that was captured while recording.", "[error] TypeError: x is null"),
  customer: Customer,
  user: Schema.NullOr(RecordingUser).annotate({ description: "The owner; null when no user is associated." }),
  room_insights: Schema.NullOr(RoomInsights).annotate({ description: "The call's room; null unless `Live`." })
}).annotate({ identifier: "Recording", description: "A screen or video recording.", examples: [recordingExample] })

export type Recording = typeof Recording.Type

export const RecordingPage = Schema.Struct({
  pagination: Pagination,
  records: Schema.Array(Recording).annotate({ description: "The recordings of this page, newest first." })
}).annotate({ identifier: "RecordingPage", description: "A page of recordings." })

export type RecordingPage = typeof RecordingPage.Type

/** What PATCH takes. A key that is left out leaves its field as it is; other keys are ignored. */
export const RecordingUpdate = Schema.Struct({
  recording: Schema.Struct({
    title: Schema.optionalKey(
      Schema.String.annotate({
        description: "New title: not blank.",
        examples: ["Checkout fails in Safari"],
        minLength: 1,
        maxLength: 255
      })
    ),
    summary: Schema.optionalKey(
      Schema.NullOr(Schema.String.annotate({ maxLength: 10_000 })).annotate({
        description: "New summary; null removes it.",
        examples: ["The pay button does nothing."]
      })
    ),
    description: Schema.optionalKey(
      Schema.NullOr(Schema.String.annotate({ maxLength: 65_535 })).annotate({
        description: "New description; null removes it.",
        examples: [null]
      })
    )
  }).annotate({ description: "At least one of the three fields.", minProperties: 1 })
}).annotate({ identifier: "RecordingUpdate", description: "The fields of a recording to change." })

export type RecordingUpdate = typeof RecordingUpdate.Type
