import { MailSwitch } from "@tapedeck/domain/internal/jobs"
import { FaultOutcome, HelpdeskKind, Outcome, WorldConfig } from "@tapedeck/fixtures"
import { Schema } from "effect"

/** Shapes of the control plane. Instants are ISO 8601 in UTC, with milliseconds. */
const InstantText = Schema.String.annotate({ format: "date-time", examples: ["2026-01-01T00:00:00.000Z"] })

const instant = (description: string) => InstantText.annotate({ description })
const text = (description: string) => Schema.String.annotate({ description })
const integer = (description: string) => Schema.Int.annotate({ description })
const natural = (description: string) => Schema.Natural.annotate({ description })

/** A start document, which is validated when it is loaded. Its JSON Schema is a component of the OpenAPI document. */
export const StartDocumentBody = Schema.Unknown.annotate({ identifier: "StartDocument" })

export const WorldView = Schema.Struct({
  version: text("Version of the emulator."),
  world: text("Id of the world."),
  base_url: text("Address of the world, as the caller reaches it. The paths of the APIs follow it."),
  control_url: text("Address of the world's control plane."),
  now: instant("Time of the world's clock."),
  seed: integer("Seed of ids, tokens and secrets."),
  config: WorldConfig,
  tokens: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Access tokens by e-mail address of the user."
  }),
  in_flight: natural("Number of deliveries in flight to real receivers."),
  pending_count: natural("Number of pending events.")
}).annotate({ identifier: "World" })
export type WorldView = typeof WorldView.Type

export const NewWorldView = Schema.Struct({
  ...WorldView.fields,
  fixtures: StartDocumentBody
}).annotate({ identifier: "NewWorld" })

export const AccountView = Schema.Struct({
  id: integer("Id of the account."),
  name: text("Label of the account."),
  api_access: Schema.Boolean.annotate({ description: "Whether access tokens of the account can be used." })
}).annotate({ identifier: "Account" })
export type AccountView = typeof AccountView.Type

export const EventView = Schema.Struct({
  at: instant("Time at which the event is due or was fired."),
  kind: Schema.Literals([
    "attempt",
    "attempt_end",
    "transcript",
    "redelivery",
    "capture",
    "mail",
    "retention",
    "seal",
    "sweep"
  ]).annotate({
    description: "Kind of the event."
  }),
  id: text(
    "Id of the delivery, of the recording of a transcript or capture, of the redelivery, or of the mail; the kind of an event that repeats."
  ),
  attempt: Schema.optionalKey(integer("Number of the attempt, counted from 1.")),
  elapsed_ms: Schema.optionalKey(integer("Time since the first attempt, in milliseconds.")),
  outcome: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({ description: "Outcome of a fired attempt; null if it has not ended." })
  ),
  status_code: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({ description: "Status of the receiver's response; null for none." })
  ),
  status: Schema.optionalKey(text("Status that the transcript gets."))
}).annotate({ identifier: "Event" })
export type EventView = typeof EventView.Type

export const ClockView = Schema.Struct({
  now: instant("Time of the clock."),
  started_at: instant("Start instant of the world."),
  mode: Schema.Literals(["stopped", "running"]).annotate({
    description: "`stopped` if only calls move the clock, `running` if it runs with wall time."
  }),
  rate: Schema.Finite.annotate({ description: "Virtual time per unit of wall time." }),
  in_flight: natural("Number of deliveries in flight to real receivers."),
  pending: Schema.Array(EventView).annotate({ description: "Pending events, in due order." }),
  repeating: Schema.optionalKey(Schema.Array(EventView)).annotate({
    description:
      "Work that repeats for as long as it is needed, and is not pending, in due order: the removal of expired uploads (`sweep`), while there are uploads; the removal of expired records (`retention`), while there are records that expire; the linking of audit entries to their chain (`seal`), a second after the oldest entry without a link. Absent if there is none."
  })
}).annotate({ identifier: "Clock" })
export type ClockView = typeof ClockView.Type

export const MoveView = Schema.Struct({
  now: instant("Time of the clock after the move."),
  fired: Schema.Array(EventView).annotate({
    description: "Events that were fired, in order. Mails and events that repeat are in the journal only."
  }),
  pending_count: natural("Number of events that are still pending."),
  repeating: Schema.optionalKey(
    natural("Number of events that repeat, which are not pending. Absent if there are none.")
  ),
  next: Schema.NullOr(EventView).annotate({ description: "Next pending event; null for none." }),
  reached: Schema.Boolean.annotate({ description: "Whether the clock reached the goal of the move." }),
  stopped_by: Schema.NullOr(Schema.Literal("max_events")).annotate({
    description: "`max_events` if the move stopped at its maximum number of events, else null."
  })
}).annotate({ identifier: "Move" })
export type MoveView = typeof MoveView.Type

const HeaderMap = Schema.Record(Schema.String, Schema.String)

export const AttemptView = Schema.Struct({
  attempt: integer("Number of the attempt, counted from 1."),
  at: instant("Start of the attempt."),
  elapsed_ms: integer("Time since the first attempt, in milliseconds."),
  duration_ms: integer("Duration of the attempt, in milliseconds."),
  outcome: text("Outcome of the attempt."),
  status_code: Schema.NullOr(Schema.Int).annotate({ description: "Status of the response; null for none." }),
  request: Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    headers: HeaderMap,
    body: Schema.String
  }).annotate({ description: "The request, as it was sent." }),
  response: Schema.NullOr(
    Schema.Struct({ headers: HeaderMap, body: Schema.String, truncated: Schema.Boolean })
  ).annotate({ description: "The response; null for none. `truncated` is true if its body was longer." }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Reason of a failure without a response; null for none."
  })
}).annotate({ identifier: "Attempt" })
export type AttemptView = typeof AttemptView.Type

export const deliveryStates = {
  scheduled: "Scheduled",
  attempting: "Attempting",
  waiting: "Waiting",
  delivered: "Delivered",
  permanently_failed: "PermanentlyFailed",
  cancelled: "Cancelled",
  skipped: "Skipped"
} as const

export const DeliveryView = Schema.Struct({
  id: text("Id of the delivery."),
  kind: Schema.Literals(["automation", "audit"]).annotate({
    description: "`automation` for the delivery of an automation, `audit` for that of an audit destination."
  }),
  state: Schema.Literals([
    "scheduled",
    "attempting",
    "waiting",
    "delivered",
    "permanently_failed",
    "cancelled",
    "skipped"
  ]).annotate({
    description: "State of the delivery."
  }),
  retry: Schema.optionalKey(integer("Number of the next retry, counted from 1, while the delivery is waiting.")),
  reason: Schema.optionalKey(
    text("Reason why the delivery is skipped: `platform`, `type`, `no_ticket` or `variable_missing`.")
  ),
  automation: Schema.optionalKey(text("Id of the automation.")),
  destination: Schema.optionalKey(text("Id of the audit destination.")),
  recording: Schema.optionalKey(text("UUID of the recording.")),
  next_attempt_at: Schema.NullOr(InstantText).annotate({ description: "Start of the next attempt; null for none." }),
  attempts: Schema.Array(AttemptView).annotate({ description: "Attempts, oldest first." })
}).annotate({ identifier: "Delivery" })
export type DeliveryView = typeof DeliveryView.Type

export const SinkView = Schema.Struct({
  id: text("Id of the sink."),
  url: text("URL of the sink, for automations and audit destinations."),
  kind: Schema.optionalKey(HelpdeskKind),
  respond: Schema.Array(Outcome).annotate({ description: "Responses, in order. The last one is repeated." })
}).annotate({ identifier: "Sink" })
export type SinkView = typeof SinkView.Type

export const SinkSummaryView = Schema.Struct({
  ...SinkView.fields,
  request_count: natural("Number of requests that the sink received.")
}).annotate({ identifier: "SinkSummary" })

export const MailView = Schema.Struct({
  id: text("Id of the mail."),
  at: instant("Time of the event that the mail reports."),
  state: Schema.Literals(["pending", "sent", "failed"]).annotate({
    description: "`pending`: it will be sent, as it is shown, when the clock moves; `failed`: its last try failed."
  }),
  tries: natural("Number of times that the world tried to send it."),
  to: text("E-mail address of the recipient."),
  switch: MailSwitch.annotate({ description: "Setting of the user that disables mails of this type." }),
  subject: text("Subject."),
  text: text("Body as plain text."),
  html: text("Body as HTML."),
  headers: HeaderMap.annotate({ description: "Further headers." }),
  recording: Schema.NullOr(Schema.String).annotate({ description: "UUID of the recording; null for none." }),
  delivery: Schema.NullOr(Schema.String).annotate({ description: "Id of the delivery; null for none." })
}).annotate({ identifier: "Mail" })
export type MailView = typeof MailView.Type

export const FaultView = Schema.Struct({
  id: text("Id of the fault."),
  match: Schema.Struct({
    method: Schema.optionalKey(text("HTTP method.")),
    path: Schema.optionalKey(text("Path below the world, with `*` and `**`.")),
    token: Schema.optionalKey(text("Access token of the request."))
  }).annotate({ description: "Requests that the fault answers." }),
  respond: Schema.Array(FaultOutcome).annotate({ description: "Remaining outcomes." }),
  used: Schema.Natural.annotate({ description: "Number of requests that the fault answered." })
}).annotate({ identifier: "Fault" })
export type FaultView = typeof FaultView.Type

export const SinkLogView = Schema.Struct({
  ...SinkView.fields,
  notes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        ticket: text("Id of the ticket, conversation, issue or record."),
        text: text("Text of the note, as the helpdesk shows it."),
        private: Schema.Boolean.annotate({ description: "Whether only agents see the note." })
      })
    ).annotate({ description: "Notes of a helpdesk, oldest first." })
  ),
  requests: Schema.Array(
    Schema.Struct({
      at: instant("Time of the request."),
      method: text("HTTP method."),
      path: text("Path and query of the request."),
      headers: HeaderMap.annotate({ description: "Headers of the request." }),
      body: text("Body as text."),
      body_base64: text("Bytes of the body, in base64."),
      outcome: Outcome
    })
  ).annotate({ description: "Requests that the sink received, oldest first." })
}).annotate({ identifier: "SinkLog" })
export type SinkLogView = typeof SinkLogView.Type

export const BadRequestView = Schema.Struct({
  error: text("All errors, as one text."),
  errors: Schema.Array(
    Schema.Struct({
      path: text("Path of the invalid value; empty for the whole body."),
      message: text("Requirement that the value does not meet.")
    })
  ).annotate({ description: "The errors, one for each invalid value." })
}).annotate({ identifier: "BadRequest" })

export const ErrorView = Schema.Struct({ error: text("Error message.") }).annotate({ identifier: "Error" })

/** A journal entry: its number, its instant, and the fields of its kind. */
export const JournalEntryView = Schema.StructWithRest(
  Schema.Struct({
    seq: integer("Number of the entry."),
    at: instant("Time of the entry."),
    kind: text("Kind of the entry, which decides its further fields.")
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "JournalEntry" })

const VideoFileView = Schema.NullOr(Schema.Struct({ content_type: Schema.String, size_bytes: Schema.Natural }))

/** Files of a recording. A download returns the edited file if there is one, else the processed file, else the original. */
export const VideoView = Schema.Struct({ original: VideoFileView, processed: VideoFileView, edited: VideoFileView })
export type VideoView = typeof VideoView.Type
