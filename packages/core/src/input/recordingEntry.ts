import { type Json, type JsonObject, RecordingType, Sharing, TranscriptStatus } from "@tapedeck/domain"
import {
  atMost,
  CustomerInput,
  flag,
  HelpdeskInput,
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
} from "@tapedeck/domain/input"
import { isJsonWithinDepth, MAX_JSON_DEPTH } from "@tapedeck/domain/internal"
import { Schema, SchemaTransformation } from "effect"
import { duration } from "./duration.ts"

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

/**
 * Free-form items of a list; `json` says what they are in the JSON Schema. The depth comes first: a value that holds
 * itself has no end.
 */
const freeForm = <A extends Json>(isOne: (value: unknown) => value is A, json: Schema.Codec<A>, description: string) =>
  Schema.declare((value): value is A => isJsonWithinDepth(value, MAX_JSON_DEPTH - 1) && isOne(value), {
    message: notJson,
    description,
    toCodecJson: () => Schema.link<A>()(json, SchemaTransformation.passthrough())
  })

const isJsonObject = (value: unknown): value is JsonObject =>
  isJsonValue(value) && typeof value === "object" && value !== null && !Array.isArray(value)

const capturedErrors = (description: string) =>
  nullable(Schema.Array(freeForm(isJsonValue, Schema.Json, "Any JSON.")), description).annotate({
    message: "must be a list or null"
  })

const base64 = Schema.String.annotate({
  message: "must be base64",
  description: "Its bytes, as base64.",
  contentEncoding: "base64"
}).check(Schema.makeFilter((value) => isBase64(value) || "must be base64"))

export const VideoFileEntry = Schema.Struct(
  optional({
    base64,
    size: natural("Size of a generated file, in bytes."),
    path: text(
      "A file to read, of at most 1 GiB, relative to the fixtures file or the working directory. Start documents over HTTP have none."
    ),
    content_type: text("Media type. Default: by the extension of `path`, else `video/webm`.").check(
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

const ThumbnailEntry = Schema.Struct(
  optional({ base64, path: text("A file to read, as `path` of a video file.") })
).annotate({ message: "must be an object or null" })

const videoFile = (description: string) => nullable(VideoFileEntry, description)

const VideoEntry = object(
  optional({
    original: videoFile("The upload. Default: no file."),
    processed: videoFile("Served in place of `original`. Default: no file."),
    edited: videoFile("Served in place of the others. Default: no file."),
    thumbnail: nullable(ThumbnailEntry, "A still: a JPEG of at most 1 MiB. Default: none; one is drawn.")
  }),
  "The video files. Without any, a download is 409."
)

export const SegmentEntry = object(
  {
    start_seconds: natural("Start of the segment, in seconds from the start of the recording."),
    text: text("What was said."),
    ...optional({
      end_seconds: nullableNatural("End of the segment, in seconds from the start of the recording."),
      sentences: list(
        freeForm(isJsonObject, Schema.Record(Schema.String, Schema.Json), "Any JSON object."),
        "Free-form timing and diarization metadata. Default: empty."
      )
    })
  },
  "A segment of the transcript."
)
export type SegmentEntry = typeof SegmentEntry.Type

const ScriptStepEntry = Schema.Struct({
  status: oneOf(TranscriptStatus.literals, "What the transcript becomes."),
  ...optional({
    at: duration("Virtual time from when the document is loaded; `PT0S`: at once."),
    reads: integer(
      "must be an integer of at least 1",
      { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      "Number of the read of the transcript, from 1, that is the first to show the status."
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
      description:
        "The statuses that the transcript takes, in order. Default: `ready` if it has text, else `unavailable`."
    }),
    language: Schema.NullOr(
      Schema.String.check(
        Schema.isPattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/u, {
          message: "must be a BCP 47 code such as en, or null"
        })
      )
    ).annotate({ message: "must be a BCP 47 code such as en, or null", description: "BCP 47 code. Default: null." }),
    segments: segments("The same as `processed`. Default: null."),
    processed: segments("Segments that were recognized. Default: `segments`."),
    edited: segments("Segments that a person edited: served in place of `processed`. Default: null."),
    legacy: nullableText("Text of older recordings, which have no segments."),
    speaker_map: record(text("Display name."), "Display names by diarization speaker index. Default: empty.")
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
    duration: nullableNatural(
      "Length of the call, in seconds. It can only say what `started_at` and `ended_at` say.",
      "their difference, else null"
    ),
    total_participant_minutes: Schema.NullOr(
      Schema.Number.check(
        Schema.isFinite({ message: "must be a number of at least 0, or null" }),
        Schema.isGreaterThanOrEqualTo(0, { message: "must be a number of at least 0, or null" })
      )
    ).annotate({
      message: "must be a number of at least 0, or null",
      description: "Minutes in the call, added up over its participants. Default: null."
    }),
    total_unique_participants: nullableNatural("How many different people took part."),
    participants_insights: nullable(Schema.Array(ParticipantEntry), "The participants. Default: null.").annotate({
      message: "must be a list or null"
    })
  }),
  "A live video call's room: `Live` recordings only."
)
export type RoomInsightsEntry = typeof RoomInsightsEntry.Type

export const RecordingEntry = object(
  optional({
    id: numericId("The integer id of v1. Default: the next free one."),
    uuid: uuid("The id of v2, in upper or lower case. Default: one from the seed."),
    account: numericId("The account's id. Default: the first account."),
    user: Schema.NullOr(Schema.String.check(atMost(254))).annotate({
      message: "must be a string or null",
      description: "E-mail address of the owner. Default: null, no owner."
    }),
    title: nullableText("Title."),
    summary: nullableText("Short summary."),
    description: nullableText("Longer description."),
    recording_type: oneOf(RecordingType.literals, "Type of the recording. Default: `Received`."),
    recording_source: nullableText("A label.", "follows from the helpdesk, such as `Zendesk ticket`"),
    helpdesk: HelpdeskInput,
    created_at: instant(
      "When it was made, ISO 8601. Default: the world's present, or `updated_at` if that is earlier."
    ),
    updated_at: instant("When it was last changed, ISO 8601. Default: `created_at`."),
    duration: nullableNatural("Length of the recording, in seconds."),
    impressions_count: natural("Number of views. Default: 0."),
    technical_details: TechnicalDetailsEntry,
    v1_platform: nullableText("`platform` in v1: the browser platform, such as `Win32`."),
    console_logs: nullableText("Raw console output."),
    console_errors: capturedErrors("Captured console errors. Default: the error lines of `console_logs`."),
    network_errors: capturedErrors("Captured network errors. Default: none."),
    browser: nullableText("Browser, for webhooks."),
    os: nullableText("Operating system, for webhooks."),
    customer: CustomerInput,
    log: nullableText("Its capture log: JSON Lines with a header, or HAR 1.2, as text."),
    sharing: oneOf(Sharing.literals, "Who may open its public page. Default: `public`."),
    is_log_shared: flag("Whether its public page shows the capture log. Default: false."),
    room_insights: nullable(RoomInsightsEntry, "The room of the call: `Live` recordings only. Default: null."),
    folder: nullable(textId("Id."), "Id of the folder that it is in. Default: null, no folder.").annotate({
      message: "must be a string or null"
    }),
    video: VideoEntry,
    transcript: nullable(TranscriptEntry, "The transcript. Default: null, no transcript.")
  }),
  "A recording."
)
export type RecordingEntry = typeof RecordingEntry.Type
