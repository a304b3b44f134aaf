import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { count, jsonObject, nullableText, text, uuid } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { Recording as RecordingV2 } from "../../wire/Recording.ts"
import { TranscriptSegment, TranscriptStatus } from "../../wire/Transcript.ts"
import { listOf, nullableTextAs, optional, textAs, textsFrom } from "../fields.ts"
import { CursorPagination } from "./CursorPagination.ts"
import { Sharing } from "./Sharing.ts"

const VideoFile = Schema.Struct({
  content_type: text("Media type, as it came in.", "video/webm"),
  size_bytes: count("Size in bytes.", 1_048_576)
}).annotate({ identifier: "VideoFile", description: "A stored video file." })

const videoFile = (description: string) => Schema.NullOr(VideoFile).annotate({ description })

const VideoWork = Schema.Struct({
  kind: Schema.Literals(["process", "transcribe", "trim"]).annotate({
    description: "Length, still and playable file; the transcript; the trimmed file.",
    examples: ["process"]
  }),
  state: Schema.Literals(["processing", "ready", "given_up"]).annotate({
    description: "In progress or to be tried again; done; or given up after all tries.",
    examples: ["given_up"]
  }),
  problem: nullableText(
    "Why it was given up; up to 500 characters.",
    "ffprobe: Invalid data found when processing input"
  )
}).annotate({ identifier: "VideoWork", description: "Work on a video." })

const Video = Schema.Struct({
  original: videoFile("The upload."),
  processed: videoFile("Comes before the original."),
  edited: videoFile("Comes before the others.")
}).annotate({
  identifier: "Video",
  description: "The files of a recording; a download is the first of edited, processed, original."
})

export const TrimInput = input.TrimInput.annotate({
  identifier: "TrimInput",
  examples: [{ start_seconds: 2.5, end_seconds: 31 }]
})

const secondsAs = (field: Schema.Top) => Schema.Finite.annotate(textsFrom(field))

const Trim = Schema.Struct({
  start_seconds: secondsAs(input.trimFields.start_seconds),
  end_seconds: secondsAs(input.trimFields.end_seconds),
  state: Schema.Literals(["processing", "ready", "failed"]).annotate({
    description: "The edited file is being made, is served, or could not be made: then the whole video is served.",
    examples: ["ready"]
  })
}).annotate({ identifier: "Trim", description: "Trim of a video." })

const OpenCaptureState = Schema.Literals(["open", "finishing"]).annotate({
  identifier: "OpenCaptureState",
  description: "`open` while it is recorded, `finishing` while its video is put together.",
  examples: ["open"]
})

/** A recording as v2 shows it, and what the settings screens need besides. */
export const Recording = Schema.Struct({
  ...RecordingV2.fields,
  folder_id: Schema.NullOr(Schema.String).annotate({ description: "The folder that it is in.", examples: ["vip"] }),
  transcript_status: TranscriptStatus,
  sharing: Sharing,
  media_access: nullableText(
    "Opens the files of the public page (`/video`, `/thumbnail`, `/captions`) as the query parameter `access`, without signing in, " +
      "for 7 days; null for a public recording, which needs none.",
    "1780272000-mK3vW0oYb5tq7d1S2f4g6h8j0k2l4z6x8c0v2b4n6mA"
  ),
  video: Video,
  trim: Schema.NullOr(Trim).annotate({ description: "Null: the video is whole." }),
  media_work: listOf(VideoWork, "What the server makes of the video; empty where it makes nothing."),
  capture_state: Schema.optionalKey(
    Schema.NullOr(OpenCaptureState).annotate({
      description: "State of its capture until that has ended, then null. Present where one recording is read."
    })
  ),
  browser: nullableText("Browser on which it was recorded.", "Firefox 140"),
  os: nullableText("Operating system on which it was recorded.", "Linux"),
  redactions: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Natural).annotate({
      description: "Of its capture log: how often each rule redacted something. Absent: it has no log.",
      examples: [{ header: 2, email: 1 }]
    })
  )
}).annotate({
  identifier: "Recording",
  description: "A screen or video recording, as v2 shows it, and where it is filed."
})
export type Recording = typeof Recording.Type

const errorsOf = (description: string, example: Schema.Json) =>
  Schema.Array(Schema.Json).annotate({ description, examples: [[example]] })

/** The errors of a recorded page, which no list contains. */
export const RecordingErrors = Schema.Struct({
  console_errors: errorsOf("Any JSON; the error lines of `console_logs` unless they were given.", "TypeError"),
  network_errors: errorsOf("Any JSON.", { url: "https://shop.example.com/api/cart", status: 503 })
}).annotate({ identifier: "RecordingErrors", description: "What went wrong on the page while it was recorded." })
export type RecordingErrors = typeof RecordingErrors.Type

export const RecordingPage = Schema.Struct({
  pagination: Pagination,
  records: listOf(Recording, "The recordings of this page, newest first.")
}).annotate({ identifier: "RecordingPage", description: "A page of recordings." })

/** Where a page lies in a list that is read by number or by cursor. */
export const ListPagination = Schema.Struct({
  ...CursorPagination.fields,
  ...optional({
    page: Pagination.fields.page,
    pages: Pagination.fields.pages,
    last_page: Pagination.fields.last_page,
    from: Pagination.fields.from,
    to: Pagination.fields.to
  }),
  next_page: Pagination.fields.next_page,
  prev_page: Pagination.fields.prev_page
}).annotate({
  identifier: "ListPagination",
  description: "Where this page lies in its list. Page numbers are left out of a list that is read by cursor.",
  examples: [{ count: 1, count_is_exact: true, items: 100 }]
})
export type ListPagination = typeof ListPagination.Type

export const RecordingList = Schema.Struct({
  pagination: ListPagination,
  records: listOf(Recording, "The recordings of this page, in the requested order.")
}).annotate({ identifier: "RecordingList", description: "A page of a list of recordings." })

export const Helpdesk = Schema.Struct(
  optional({
    platform: textAs(input.helpdeskFields.platform),
    ticket_id: nullableTextAs(input.helpdeskFields.ticket_id),
    active_ticket_id: nullableTextAs(input.helpdeskFields.active_ticket_id),
    conversation_id: nullableTextAs(input.helpdeskFields.conversation_id),
    issue_id: nullableTextAs(input.helpdeskFields.issue_id),
    object_id: nullableTextAs(input.helpdeskFields.object_id),
    user_id: nullableTextAs(input.helpdeskFields.user_id),
    operator_id: nullableTextAs(input.helpdeskFields.operator_id),
    customer_id: nullableTextAs(input.helpdeskFields.customer_id)
  })
).annotate({ identifier: "Helpdesk", ...textsFrom(input.HelpdeskInput) })

export const RecordingInput = input.RecordingInput.annotate({
  identifier: "RecordingInput",
  examples: [
    {
      title: "Checkout fails",
      recording_type: "Received",
      helpdesk: { platform: "zendesk", ticket_id: "4711" },
      duration: 42,
      customer: { email: "customer@example.com" },
      browser: "Safari 19",
      os: "macOS 15"
    }
  ]
})

export const RecordingChange = input.RecordingChange.annotate({
  identifier: "RecordingChange",
  examples: [
    {
      title: "Checkout fails",
      helpdesk: { platform: "zendesk", ticket_id: "4711" },
      customer: { email: "customer@example.com" }
    }
  ]
})

export const FolderChoice = input.FolderChoice.annotate({
  identifier: "FolderChoice",
  examples: [{ folder_id: "vip" }]
})

const TranscriptObstacle = Schema.Literals(["no_transcriber", "no_video"]).annotate({
  identifier: "TranscriptObstacle",
  description: "Reason why no transcript can be made: nothing makes transcripts here, or there is no video.",
  examples: ["no_transcriber"]
})

/** A whole transcript, as it is after a change. */
export const Transcript = Schema.Struct({
  recording_uuid: uuid("The recording."),
  status: TranscriptStatus,
  request_blocked_by: Schema.NullOr(TranscriptObstacle).annotate({
    description: "Reason why no transcript can be made of this recording; null if one can be requested."
  }),
  language: nullableText("Detected language, as a BCP 47 code.", "en"),
  speaker_map: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Display names by diarization speaker index.",
    examples: [{ "0": "Ada", "1": "Customer" }]
  }),
  segments: listOf(TranscriptSegment, "All segments, in order.")
}).annotate({ identifier: "Transcript", description: "A recording's transcript." })
export type Transcript = typeof Transcript.Type

export const TranscriptInput = input.TranscriptInput.annotate({
  identifier: "TranscriptInput",
  examples: [{ segments: [{ start_seconds: 0, end_seconds: 4, text: "Hello, the checkout does not work." }] }]
})

/** What a recognizer or this API wrote, as far as anything is made of it. */
export const TranscriptImport = Schema.Struct({
  language: Schema.optionalKey(nullableText("BCP 47 code, or the language's English name.", "en")),
  speaker_map: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Display names by speaker.",
      examples: [{ "0": "Ada" }]
    })
  ),
  segments: listOf(
    Schema.Struct({
      start: Schema.Finite.annotate({ description: "In seconds; or `start_seconds`.", examples: [1.25] }),
      end: Schema.optionalKey(
        Schema.NullOr(Schema.Finite).annotate({ description: "In seconds; or `end_seconds`.", examples: [3.001] })
      ),
      duration: Schema.optionalKey(
        Schema.NullOr(Schema.Finite).annotate({
          description: "In seconds, in place of an end; or `dur`.",
          examples: [1.751]
        })
      ),
      text: text("The spoken text.", "Hello, the checkout does not work."),
      speaker: Schema.optionalKey(text("The speaker.", "0")),
      words: Schema.optionalKey(
        Schema.Array(jsonObject).annotate({
          description: "Each with `word`, `start` and `end`; all of them may stand beside the segments instead.",
          examples: [[{ word: "Hello", start: 1.25, end: 1.8 }]]
        })
      )
    }).annotate({ identifier: "ImportedSegment", description: "A stretch of speech." }),
    "All of them, in order."
  )
}).annotate({ identifier: "TranscriptImport", description: "A transcript from elsewhere." })
