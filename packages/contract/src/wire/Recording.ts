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

/** Eight helpdesks, and the service's own app, whose value is the vendor's name in lower case. The vendor is a setting, so this is a
 * string; the OpenAPI document of a running service lists the nine values.
 */
const Platform = Schema.String.annotate({
  identifier: "Platform",
  description: "Helpdesk of the recording, or the service's own app.",
  examples: ["zendesk"]
})

export const RecordingType = DomainRecordingType.annotate({
  identifier: "RecordingType",
  description:
    "Type of the recording: by a customer (`Received`), by an agent (`Sent`), or in a live video call (`Live`).",
  examples: ["Received"]
})

const HelpdeskInfo = Schema.Struct({
  platform: Platform,
  conversation_id: nullableText("Id of the conversation, for helpdesks that have conversations.", "215470012"),
  ticket_id: nullableText(
    "Normalized id of the ticket, conversation, issue or object. The query parameter `ticket_id` matches it.",
    "4711"
  ),
  active_ticket_id: nullableText("Current follow-up ticket (Zendesk), if it differs from `ticket_id`.", "4712"),
  user_id: nullableText("Id of the user in the helpdesk.", "881204"),
  operator_id: nullableText("Id of the operator in the helpdesk.", "5521"),
  customer_id: nullableText("Id of the customer in the helpdesk.", "990017"),
  issue_id: nullableText("Id of the issue (Jira).", "SUP-128"),
  object_id: nullableText("Id of the object (HubSpot).", "1633480912")
}).annotate({ identifier: "HelpdeskInfo", description: "Links of the recording to the helpdesk." })

const RecordingMetadata = Schema.Struct({
  created_at: dateTime("Time at which the recording was made."),
  updated_at: dateTime("Time of the last change of the recording."),
  duration: nullableCount("Length in seconds.", 42),
  impressions_count: count("Number of views of the recording's public page.", 3),
  recording_type: RecordingType,
  recording_source: text("Label of the recording's source.", "Zendesk ticket"),
  url: uri("Public page of the recording.", "https://tapedeck.test/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  helpdesk_info: HelpdeskInfo
}).annotate({ identifier: "RecordingMetadata", description: "Times, type, source and helpdesk of the recording." })

const TechnicalDetails = Schema.Struct({
  vendor: nullableText("Browser vendor of the recording user.", "Google Inc."),
  ip_address: nullableText("IP address of the recording user.", "203.0.113.7"),
  timezone: nullableText("Time zone of the recording user.", "Europe/Berlin"),
  network_type: nullableText("Type of network connection.", "4g"),
  isp: nullableText("Internet service provider.", "Example Telecom")
}).annotate({ identifier: "TechnicalDetails", description: "Machine and network on which the recording was made." })

const Customer = Schema.Struct({
  email: nullableEmail("E-mail address of the customer.")
}).annotate({ identifier: "Customer", description: "Customer of the recording." })

const RecordingUser = Schema.Struct({
  email: email("E-mail address of the agent.", "bob@acme.test"),
  name: text("Name of the agent.", "Bob")
}).annotate({ identifier: "RecordingUser", description: "Agent who owns the recording." })

const ParticipantInsight = Schema.Struct({
  participant_id: text("Id of the participant within the call.", "p-1"),
  display_name: nullableText("Name shown in the call.", "Ada"),
  role: nullableText("Role in the call.", "host"),
  browser: nullableText("Browser.", "Chrome 143"),
  os: nullableText("Operating system.", "macOS 15"),
  device: nullableText("Device.", "MacBook Pro"),
  device_type: nullableText("Type of device.", "desktop"),
  user_agent: nullableText("User agent of the browser.", "Mozilla/5.0 (Macintosh)"),
  joined_at: nullableDateTime("Time at which the participant joined.", "2026-01-01T09:00:05.000Z"),
  left_at: nullableDateTime("Time at which the participant left.", "2026-01-01T09:21:40.000Z")
}).annotate({ identifier: "ParticipantInsight", description: "Participant of a live video call." })

const RoomInsights = Schema.Struct({
  started_at: nullableDateTime("Start of the call.", "2026-01-01T09:00:00.000Z"),
  ended_at: nullableDateTime("End of the call.", "2026-01-01T09:22:00.000Z"),
  duration: nullableCount("Length of the call in seconds, from `started_at` to `ended_at`.", 1320),
  total_participant_minutes: Schema.NullOr(Schema.Finite).annotate({
    description: "Total time of all participants in the call, in minutes.",
    examples: [43.5]
  }),
  total_unique_participants: nullableCount("Number of different participants.", 2),
  participants_insights: Schema.NullOr(Schema.Array(ParticipantInsight)).annotate({
    description: "Participants of the call."
  })
}).annotate({ identifier: "RoomInsights", description: "Room of a live video call." })

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
  uuid: uuid("UUID of the recording."),
  title: nullableText("Title.", "Checkout fails"),
  summary: nullableText("Short summary.", "The pay button does nothing in Safari."),
  description: nullableText("Longer description.", "Steps: open the cart, press Pay, nothing happens."),
  metadata: RecordingMetadata,
  technical_details: TechnicalDetails,
  console_logs: nullableText("Raw console output of the recorded page.", "[error] TypeError: x is null"),
  customer: Customer,
  user: Schema.NullOr(RecordingUser).annotate({ description: "Owner of the recording; null for none." }),
  room_insights: Schema.NullOr(RoomInsights).annotate({
    description: "Room of the call; null for recordings of other types than `Live`."
  })
}).annotate({ identifier: "Recording", description: "A screen or video recording.", examples: [recordingExample] })

export type Recording = typeof Recording.Type

export const RecordingPage = Schema.Struct({
  pagination: Pagination,
  records: Schema.Array(Recording).annotate({ description: "The recordings of this page, newest first." })
}).annotate({ identifier: "RecordingPage", description: "A page of recordings." })

export type RecordingPage = typeof RecordingPage.Type

/** Body of PATCH. Omitted fields keep their value, and unknown keys are ignored. */
export const RecordingUpdate = Schema.Struct({
  recording: Schema.Struct({
    title: Schema.optionalKey(
      Schema.String.annotate({
        description: "New title, which must not be blank.",
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
  }).annotate({ description: "Fields to change; at least one of the three.", minProperties: 1 })
}).annotate({
  identifier: "RecordingUpdate",
  description: "Changes of a recording. Fields that you omit keep their value."
})

export type RecordingUpdate = typeof RecordingUpdate.Type
