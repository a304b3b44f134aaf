import {
  isJsonWithinDepth,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  RecordingType,
  TranscriptStatus
} from "@tapedeck/domain"
import { Schema } from "effect"
import { duration } from "./duration.ts"
import {
  email,
  instant,
  integer,
  list,
  natural,
  nullable,
  nullableInstant,
  nullableNatural,
  nullableText,
  numericId,
  object,
  oneOf,
  optional,
  record,
  text,
  textId,
  uuid
} from "./fields.ts"

const HelpdeskEntry = object(
  optional({
    platform: text("One of the eight helpdesks, or the own app: the vendor word in lower case. Default: the own app."),
    ticket_id: nullableText("Ticket, conversation, issue or object id: alone, it sets the platform's own id."),
    active_ticket_id: nullableText("Follow-up ticket (Zendesk)."),
    conversation_id: nullableText("Own id of Intercom, Help Scout and Freshdesk Chat."),
    issue_id: nullableText("Own id of Jira."),
    object_id: nullableText("Own id of HubSpot."),
    user_id: nullableText("Id of the user in the helpdesk."),
    operator_id: nullableText("Id of the operator in the helpdesk."),
    customer_id: nullableText("Id of the customer in the helpdesk.")
  }),
  "What the recording is linked to."
)
export type HelpdeskEntry = typeof HelpdeskEntry.Type

const TechnicalDetailsEntry = object(
  optional({
    vendor: nullableText("Browser vendor."),
    ip_address: nullableText("IP address."),
    timezone: nullableText("Time zone."),
    network_type: nullableText("Kind of network connection."),
    isp: nullableText("Internet service provider.")
  }),
  "The machine and network on which it was recorded."
)

const isJsonValue = Schema.is(Schema.Json)
const notJson = `must be JSON of at most ${MAX_JSON_DEPTH} levels`

/** Free-form items of a list. The depth comes first: a value that holds itself has no end. */
const freeForm = <A extends Json>(isOne: (value: unknown) => value is A, description: string) =>
  Schema.Unknown.annotate({ description }).pipe(
    Schema.refine((value): value is A => isJsonWithinDepth(value, MAX_JSON_DEPTH - 1) && isOne(value), {
      message: notJson
    })
  )

const isJsonObject = (value: unknown): value is JsonObject =>
  isJsonValue(value) && typeof value === "object" && value !== null && !Array.isArray(value)

const capturedErrors = (description: string) =>
  nullable(Schema.Array(freeForm(isJsonValue, "Any JSON.")), description).annotate({
    message: "must be a list or null"
  })

const VideoFileEntry = Schema.Struct(
  optional({
    base64: Schema.String.annotate({
      message: "must be base64",
      description: "Its bytes.",
      contentEncoding: "base64"
    }).check(Schema.makeFilter((value) => isBase64(value) || "must be base64")),
    size: natural("So many made-up bytes."),
    path: text("A file to read; in process and with `--fixtures` only, relative to that file."),
    content_type: text("Default: by the extension of `path`, else `video/webm`.").check(
      // What a Content-Type header can say.
      Schema.isPattern(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/u, {
        message: "must be a media type such as video/webm"
      })
    )
  })
)
  .annotate({ message: "must be an object or null", description: "`base64`, `size` or `path`; none of them: no file." })
  .check(
    Schema.makeFilter(
      ({ base64, path, size }) =>
        [base64, path, size].filter((one) => one !== undefined).length <= 1 ||
        "must have only one of base64, size and path"
    )
  )
export type VideoFileEntry = typeof VideoFileEntry.Type

/** YAML folds and wraps long texts, so white space does not count. */
const isBase64 = (value: string): boolean => {
  const packed = value.replace(/\s+/g, "")
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed)
}

const videoFile = (description: string) => nullable(VideoFileEntry, description)

const VideoEntry = object(
  optional({
    original: videoFile("The upload."),
    processed: videoFile("Comes before the original."),
    edited: videoFile("Comes before the others.")
  }),
  "Its files; without any, a download is 409."
)

export const SegmentEntry = object(
  {
    start_seconds: natural("Where it begins."),
    text: text("What was said."),
    ...optional({
      end_seconds: nullableNatural("Where it ends."),
      sentences: list(freeForm(isJsonObject, "Any JSON object."), "Free-form timing and diarization metadata.")
    })
  },
  "A stretch of speech."
)
export type SegmentEntry = typeof SegmentEntry.Type

const ScriptStepEntry = Schema.Struct({
  status: oneOf(TranscriptStatus.literals, "What the transcript becomes."),
  ...optional({
    at: duration("When, in virtual time, from when it is loaded; `PT0S`: at once."),
    reads: integer(
      "must be an integer of at least 1",
      { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      "At which read of the transcript, from when it is loaded: that read is the first that shows it."
    )
  })
})
  .annotate({ message: "must be an object", description: "A step, by time (`at`) or by reads (`reads`)." })
  .check(
    Schema.makeFilter(({ at, reads }) => (at === undefined) !== (reads === undefined) || "must have either at or reads")
  )
export type ScriptStepEntry = typeof ScriptStepEntry.Type

const segments = (description: string) =>
  nullable(Schema.Array(SegmentEntry), description).annotate({ message: "must be a list or null" })

const TranscriptEntry = object(
  optional({
    script: Schema.Union([Schema.Array(ScriptStepEntry), ScriptStepEntry]).annotate({
      message: "must be a list of steps, or one step",
      description: "The statuses that it takes. Without one, it is `ready` if it has text, else `unavailable`."
    }),
    language: Schema.NullOr(
      Schema.String.check(
        Schema.isPattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/u, {
          message: "must be a BCP 47 code such as en, or null"
        })
      )
    ).annotate({ message: "must be a BCP 47 code such as en, or null", description: "BCP 47 code." }),
    segments: segments("The same as `processed`."),
    processed: segments("What was recognized."),
    edited: segments("What people made of it: comes before `processed`."),
    legacy: nullableText("What older recordings have instead of segments."),
    speaker_map: record(text("Display name."), "Display names by diarization speaker index.")
  }),
  "The transcript."
)
export type TranscriptEntry = typeof TranscriptEntry.Type

const ParticipantEntry = object(
  {
    participant_id: text("Identifies the participant within the call."),
    ...optional({
      display_name: nullableText("Name shown in the call."),
      role: nullableText("Part taken in the call."),
      browser: nullableText("Browser."),
      os: nullableText("Operating system."),
      device: nullableText("Device."),
      device_type: nullableText("Kind of device."),
      user_agent: nullableText("The browser's User-Agent."),
      joined_at: nullableInstant("When the participant joined."),
      left_at: nullableInstant("When the participant left.")
    })
  },
  "One participant of a live video call."
)

const RoomInsightsEntry = object(
  optional({
    started_at: nullableInstant("When the call began."),
    ended_at: nullableInstant("When the call ended."),
    duration: nullableNatural("In seconds; it follows from `started_at` and `ended_at`, and can only say the same."),
    total_participant_minutes: Schema.NullOr(
      Schema.Number.check(
        Schema.isFinite({ message: "must be a number of at least 0, or null" }),
        Schema.isGreaterThanOrEqualTo(0, { message: "must be a number of at least 0, or null" })
      )
    ).annotate({
      message: "must be a number of at least 0, or null",
      description: "Minutes in the call, added up over its participants."
    }),
    total_unique_participants: nullableNatural("How many different people took part."),
    participants_insights: nullable(Schema.Array(ParticipantEntry), "Each participant.").annotate({
      message: "must be a list or null"
    })
  }),
  "A live video call's room: `Live` recordings only."
)
export type RoomInsightsEntry = typeof RoomInsightsEntry.Type

const noCustomer = email("The customer's e-mail address.")

export const RecordingEntry = object(
  optional({
    id: numericId("The integer id of v1. Default: the next free one."),
    uuid: uuid("In either case. Default: one from the seed."),
    account: numericId("The account's id. Default: the first account."),
    user: Schema.NullOr(Schema.String).annotate({
      message: "must be a string or null",
      description: "E-mail address of the owner."
    }),
    title: nullableText("Title."),
    summary: nullableText("Short summary."),
    description: nullableText("Longer description."),
    recording_type: oneOf(RecordingType.literals, "Default: `Received`."),
    recording_source: nullableText("A label. Null: it follows from the helpdesk, such as `Zendesk ticket`."),
    helpdesk: HelpdeskEntry,
    created_at: instant("Default: now."),
    updated_at: instant("Default: `created_at`."),
    duration: nullableNatural("In seconds."),
    impressions_count: natural("Views. Default: 0."),
    technical_details: TechnicalDetailsEntry,
    v1_platform: nullableText("`platform` in v1: the browser platform, such as `Win32`."),
    console_logs: nullableText("Raw console output."),
    console_errors: capturedErrors("Null: the error lines of `console_logs`."),
    network_errors: capturedErrors("Null: none."),
    browser: nullableText("Browser, for webhooks."),
    os: nullableText("Operating system, for webhooks."),
    customer: object(
      optional({
        email: Schema.NullOr(noCustomer).annotate({
          message: "must be an e-mail address or null",
          description: "E-mail address."
        })
      }),
      "The customer."
    ),
    room_insights: nullable(RoomInsightsEntry, "The call's room: `Live` recordings only."),
    folder: nullable(textId("Id."), "Id of the folder that it is in.").annotate({
      message: "must be a string or null"
    }),
    video: VideoEntry,
    transcript: nullable(TranscriptEntry, "The transcript. Null: there is none.")
  }),
  "A recording."
)
export type RecordingEntry = typeof RecordingEntry.Type
