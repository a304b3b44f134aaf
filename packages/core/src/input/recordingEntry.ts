import { Sharing, TranscriptStatus } from "@tapedeck/domain"
import {
  atMost,
  flag,
  instant,
  integer,
  natural,
  newRecordingFields,
  nullable,
  nullableList,
  nullableText,
  nullableTextUpTo,
  numericId,
  object,
  oneOf,
  optional,
  SegmentInput,
  shortPart,
  speakerMap,
  text,
  textId,
  uuid
} from "@tapedeck/domain/input"
import { MAX_CHARACTERS } from "@tapedeck/domain/internal/recordings"
import { Schema } from "effect"
import { duration } from "./duration.ts"

const base64 = Schema.String.annotate({
  message: "must be base64",
  description: "Content of the file, as base64.",
  contentEncoding: "base64"
}).check(Schema.makeFilter((value) => isBase64(value) || "must be base64"))

export const VideoFileEntry = Schema.Struct(
  optional({
    base64,
    size: natural("Size of a generated file, in bytes."),
    path: text(
      "Path of a file of at most 1 GiB, relative to the fixtures file or the working directory. Not available in start documents over HTTP."
    ),
    content_type: text("Media type. Default: by the extension of `path`, else `video/webm`.").check(
      // Values that a Content-Type header can have.
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
  optional({ base64, path: text("Path of a file, like `path` of a video file.") })
).annotate({ message: "must be an object or null" })

const videoFile = (description: string) => nullable(VideoFileEntry, description)

const VideoEntry = object(
  optional({
    original: videoFile("Original upload. Default: no file."),
    processed: videoFile("Processed file. Downloads prefer it to `original`. Default: no file."),
    edited: videoFile("Edited file. Downloads prefer it to the other files. Default: no file."),
    thumbnail: nullable(ThumbnailEntry, "Thumbnail, a JPEG of at most 1 MiB. Default: none; one is drawn.")
  }),
  "Video files. Without any, a download is refused with 409."
)

const ScriptStepEntry = Schema.Struct({
  status: oneOf(TranscriptStatus.literals, "Status that the transcript gets."),
  ...optional({
    at: duration("Virtual time since the document was loaded; `PT0S` is at once."),
    reads: integer(
      "must be an integer of at least 1",
      { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      "Number of the first read of the transcript that shows the status, counted from 1."
    )
  })
})
  .annotate({ message: "must be an object", description: "A step, by time (`at`) or by reads (`reads`)." })
  .check(
    Schema.makeFilter(({ at, reads }) => (at === undefined) !== (reads === undefined) || "must have either at or reads")
  )
export type ScriptStepEntry = typeof ScriptStepEntry.Type

const segments = (description: string) => nullableList(SegmentInput, description)

const TranscriptEntry = object(
  optional({
    script: Schema.Union([Schema.Array(ScriptStepEntry), ScriptStepEntry]).annotate({
      message: "must be a list of steps, or one step",
      description: "Statuses of the transcript, in order. Default: `ready` if it has text, else `unavailable`."
    }),
    language: Schema.NullOr(
      Schema.String.check(
        Schema.isPattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/u, {
          message: "must be a BCP 47 code such as en, or null"
        })
      )
    ).annotate({ message: "must be a BCP 47 code such as en, or null", description: "BCP 47 code. Default: null." }),
    segments: segments("Recognized segments, like `processed`. Default: null."),
    processed: segments("Recognized segments. Default: `segments`."),
    edited: segments("Edited segments, which take precedence over `processed`. Default: null."),
    legacy: Schema.NullOr(Schema.String.check(shortPart)).annotate({
      message: "must be a string or null",
      description: "Text of older recordings, which have no segments. Default: null."
    }),
    speaker_map: speakerMap
  }),
  "A transcript."
)
export type TranscriptEntry = typeof TranscriptEntry.Type

export const RecordingEntry = object(
  optional({
    id: numericId("Integer id of v1. Default: the next free one."),
    uuid: uuid("Id of v2, case-insensitive. Default: one from the seed."),
    account: numericId("Id of the account. Default: the first account."),
    user: Schema.NullOr(Schema.String.check(atMost(254))).annotate({
      message: "must be a string or null",
      description: "E-mail address of the owner; null for none. Default: null."
    }),
    title: nullableTextUpTo(MAX_CHARACTERS.title, "Title of the recording. Default: null."),
    summary: nullableTextUpTo(MAX_CHARACTERS.summary, "Short summary. Default: null."),
    description: nullableTextUpTo(MAX_CHARACTERS.description, "Longer description. Default: null."),
    ...newRecordingFields,
    created_at: instant(
      "Time at which the recording was made, in ISO 8601. Default: the present time of the world, or `updated_at` if that is earlier."
    ),
    updated_at: instant("Time of the last change, in ISO 8601. Default: `created_at`."),
    impressions_count: natural("Number of views. Default: 0."),
    log: nullableText("Capture log: JSON Lines with a header, or HAR 1.2, as text."),
    sharing: oneOf(Sharing.literals, "Access to the public page. Default: `public`."),
    is_log_shared: flag("Whether the public page shows the capture log. Default: false."),
    folder: nullable(
      textId("Id of the folder."),
      "Id of the recording's folder; null for none. Default: null."
    ).annotate({
      message: "must be a string or null"
    }),
    video: VideoEntry,
    transcript: nullable(TranscriptEntry, "Transcript of the recording; null for none. Default: null.")
  }),
  "A recording."
)
export type RecordingEntry = typeof RecordingEntry.Type
