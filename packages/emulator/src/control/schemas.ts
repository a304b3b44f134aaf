import { MailSwitch } from "@tapedeck/domain/internal/jobs"
import { FaultOutcome, Outcome, WorldConfig } from "@tapedeck/fixtures"
import { Schema } from "effect"

/** Shapes of the control plane. Instants are ISO 8601 in UTC, with milliseconds. */
const InstantText = Schema.String.annotate({ format: "date-time", examples: ["2026-01-01T00:00:00.000Z"] })

/** A start document, which is validated when it is loaded. Its JSON Schema is a component of the OpenAPI document. */
export const StartDocumentBody = Schema.Unknown.annotate({ identifier: "StartDocument" })

export const WorldView = Schema.Struct({
  version: Schema.String,
  world: Schema.String,
  base_url: Schema.String,
  control_url: Schema.String,
  now: InstantText,
  seed: Schema.Int,
  config: WorldConfig,
  tokens: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Access tokens by e-mail address of the user."
  }),
  in_flight: Schema.Natural.annotate({ description: "Number of deliveries in flight to real receivers." }),
  pending_count: Schema.Natural
}).annotate({ identifier: "World" })
export type WorldView = typeof WorldView.Type

export const NewWorldView = Schema.Struct({
  ...WorldView.fields,
  fixtures: StartDocumentBody
}).annotate({ identifier: "NewWorld" })

export const AccountView = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  api_access: Schema.Boolean
}).annotate({ identifier: "Account" })
export type AccountView = typeof AccountView.Type

export const EventView = Schema.Struct({
  at: InstantText,
  kind: Schema.Literals(["attempt", "attempt_end", "transcript", "redelivery", "capture", "mail", "sweep"]),
  id: Schema.String.annotate({
    description: "Id of the delivery, of the recording of a transcript or capture, of the redelivery, or of the mail."
  }),
  attempt: Schema.optionalKey(Schema.Int),
  elapsed_ms: Schema.optionalKey(Schema.Int),
  outcome: Schema.optionalKey(Schema.NullOr(Schema.String)),
  status_code: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  status: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Event" })
export type EventView = typeof EventView.Type

export const ClockView = Schema.Struct({
  now: InstantText,
  started_at: InstantText,
  mode: Schema.Literals(["stopped", "running"]),
  rate: Schema.Finite,
  in_flight: Schema.Natural,
  pending: Schema.Array(EventView).annotate({ description: "Events in the order in which they will fire." }),
  repeating: Schema.optionalKey(Schema.Array(EventView)).annotate({
    description:
      "Work that repeats for as long as it is needed, and is not pending: the removal of expired uploads (`sweep`), while there are uploads. Absent if there is none."
  })
}).annotate({ identifier: "Clock" })
export type ClockView = typeof ClockView.Type

export const MoveView = Schema.Struct({
  now: InstantText,
  fired: Schema.Array(EventView).annotate({
    description: "Events that fired, without mails and removals of expired uploads, which are in the journal."
  }),
  pending_count: Schema.Natural,
  repeating: Schema.optionalKey(Schema.Natural).annotate({
    description: "Number of events that repeat, which are not pending. Absent if there are none."
  }),
  next: Schema.NullOr(EventView),
  reached: Schema.Boolean,
  stopped_by: Schema.NullOr(Schema.Literal("max_events"))
}).annotate({ identifier: "Move" })
export type MoveView = typeof MoveView.Type

const HeaderMap = Schema.Record(Schema.String, Schema.String)

export const AttemptView = Schema.Struct({
  attempt: Schema.Int,
  at: InstantText,
  elapsed_ms: Schema.Int,
  duration_ms: Schema.Int,
  outcome: Schema.String,
  status_code: Schema.NullOr(Schema.Int),
  request: Schema.Struct({ method: Schema.String, url: Schema.String, headers: HeaderMap, body: Schema.String }),
  response: Schema.NullOr(Schema.Struct({ headers: HeaderMap, body: Schema.String, truncated: Schema.Boolean })),
  error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Attempt" })
export type AttemptView = typeof AttemptView.Type

export const deliveryStates = {
  scheduled: "Scheduled",
  attempting: "Attempting",
  waiting: "Waiting",
  delivered: "Delivered",
  permanently_failed: "PermanentlyFailed",
  cancelled: "Cancelled"
} as const

export const DeliveryView = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["automation", "audit"]),
  state: Schema.Literals(["scheduled", "attempting", "waiting", "delivered", "permanently_failed", "cancelled"]),
  retry: Schema.optionalKey(Schema.Int),
  automation: Schema.optionalKey(Schema.String),
  destination: Schema.optionalKey(Schema.String),
  recording: Schema.optionalKey(Schema.String),
  next_attempt_at: Schema.NullOr(InstantText),
  attempts: Schema.Array(AttemptView)
}).annotate({ identifier: "Delivery" })
export type DeliveryView = typeof DeliveryView.Type

export const SinkView = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  respond: Schema.Array(Outcome)
}).annotate({ identifier: "Sink" })
export type SinkView = typeof SinkView.Type

export const SinkSummaryView = Schema.Struct({
  ...SinkView.fields,
  request_count: Schema.Natural
}).annotate({ identifier: "SinkSummary" })

export const MailView = Schema.Struct({
  id: Schema.String,
  at: InstantText,
  state: Schema.Literals(["pending", "sent", "failed"]).annotate({
    description: "`pending`: it will be sent, as it is shown, when the clock moves; `failed`: its last try failed."
  }),
  tries: Schema.Natural.annotate({ description: "Number of times that the world tried to send it." }),
  to: Schema.String,
  /** Setting of the user that disables mails of this type. */
  switch: MailSwitch,
  subject: Schema.String,
  text: Schema.String,
  html: Schema.String,
  headers: HeaderMap,
  recording: Schema.NullOr(Schema.String),
  delivery: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Mail" })
export type MailView = typeof MailView.Type

export const FaultView = Schema.Struct({
  id: Schema.String,
  match: Schema.Struct({
    method: Schema.optionalKey(Schema.String),
    path: Schema.optionalKey(Schema.String),
    token: Schema.optionalKey(Schema.String)
  }),
  respond: Schema.Array(FaultOutcome).annotate({ description: "Remaining outcomes." }),
  used: Schema.Natural.annotate({ description: "Number of requests that the fault answered." })
}).annotate({ identifier: "Fault" })
export type FaultView = typeof FaultView.Type

export const SinkLogView = Schema.Struct({
  ...SinkView.fields,
  requests: Schema.Array(
    Schema.Struct({
      at: InstantText,
      method: Schema.String,
      path: Schema.String,
      headers: HeaderMap,
      body: Schema.String,
      body_base64: Schema.String,
      outcome: Outcome
    })
  )
}).annotate({ identifier: "SinkLog" })
export type SinkLogView = typeof SinkLogView.Type

export const BadRequestView = Schema.Struct({
  error: Schema.String,
  errors: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}).annotate({ identifier: "BadRequest" })

export const ErrorView = Schema.Struct({ error: Schema.String }).annotate({ identifier: "Error" })

/** A journal entry: its number, its instant, and the fields of its kind. */
export const JournalEntryView = Schema.StructWithRest(
  Schema.Struct({ seq: Schema.Int, at: InstantText, kind: Schema.String }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "JournalEntry" })

const VideoFileView = Schema.NullOr(Schema.Struct({ content_type: Schema.String, size_bytes: Schema.Natural }))

/** Files of a recording. A download returns the edited file if there is one, else the processed file, else the original. */
export const VideoView = Schema.Struct({ original: VideoFileView, processed: VideoFileView, edited: VideoFileView })
export type VideoView = typeof VideoView.Type
