import * as input from "@tapedeck/domain/input"
import { MAX_MATCH_CHARACTERS } from "@tapedeck/domain/internal/recordings"
import { Schema } from "effect"
import { count, jsonObject, nullableText, text, uuid } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { Recording as RecordingV2 } from "../../wire/Recording.ts"
import { TranscriptSegment, TranscriptStatus } from "../../wire/Transcript.ts"
import { flag, listOf, nullableTextAs, optional, textAs, textsFrom } from "../fields.ts"
import { CursorPagination } from "./CursorPagination.ts"
import { Sharing } from "./Sharing.ts"

const VideoFile = Schema.Struct({
  content_type: text("Media type that the upload had.", "video/webm"),
  size_bytes: count("Size of the file, in bytes.", 1_048_576)
}).annotate({ identifier: "VideoFile", description: "A stored video file." })

const videoFile = (description: string) => Schema.NullOr(VideoFile).annotate({ description })

const VideoWork = Schema.Struct({
  kind: Schema.Literals(["process", "transcribe", "trim", "summarize"]).annotate({
    description:
      "Type of the work: `process` reads the length and creates a thumbnail and a playable file, `transcribe` creates the transcript, `trim` creates the trimmed file, " +
      "`summarize` generates title, summary and chapters.",
    examples: ["process"]
  }),
  state: Schema.Literals(["processing", "ready", "given_up"]).annotate({
    description:
      "State of the work: `processing` (in progress, or to be retried), `ready` (done), or `given_up` after all tries.",
    examples: ["given_up"]
  }),
  problem: nullableText(
    "Reason why the work was given up, of at most 500 characters; null otherwise.",
    "ffprobe: Invalid data found when processing input"
  )
}).annotate({ identifier: "VideoWork", description: "Work on a video in the background." })

const Video = Schema.Struct({
  original: videoFile("Original upload."),
  processed: videoFile("Processed file. Downloads prefer it to the original."),
  edited: videoFile("Edited file. Downloads prefer it to the other files.")
}).annotate({
  identifier: "Video",
  description:
    "Video files of a recording. A download returns the edited file if there is one, else the processed file, else the original."
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
    description:
      "State of the edited file: `processing` (being made), `ready`, or `failed`. A failed trim leaves the whole video in use.",
    examples: ["ready"]
  })
}).annotate({ identifier: "Trim", description: "Trim of a video." })

const OpenCaptureState = Schema.Literals(["open", "finishing"]).annotate({
  identifier: "OpenCaptureState",
  description: "State of the capture: `open` while it is recording, `finishing` while its video is being joined.",
  examples: ["open"]
})

const textSource = (name: string) =>
  Schema.NullOr(Schema.Literals(["person", "generated"])).annotate({
    description: `Source of the ${name}: \`person\`, or \`generated\` from the transcript; null without a ${name}.`,
    examples: ["generated"]
  })

const Chapter = Schema.Struct({
  start_seconds: count(
    "Start of the chapter, in seconds from the start of the video. It ends at the start of the next one.",
    83
  ),
  title: text("Title, in plain text of at most 80 characters.", "The card is declined")
}).annotate({ identifier: "Chapter", description: "Chapter of a video." })

const SummaryObstacle = Schema.Literals(["no_summarizer", "no_transcript", "in_progress"]).annotate({
  identifier: "SummaryObstacle",
  description:
    "Reason why no texts can be generated: the server has no summarizer, the recording has no transcript, or the texts are being generated " +
    "(`in_progress`). After a failed try they can be requested again, although `media_work` is `processing` until the next one.",
  examples: ["no_summarizer"]
})

/** A recording as in v2, with further fields for the settings screens. */
export const Recording = Schema.Struct({
  ...RecordingV2.fields,
  title_source: textSource("title"),
  summary_source: textSource("summary"),
  chapters: Schema.optionalKey(listOf(Chapter, "Generated chapters, in order, at most 20. Omitted if there are none.")),
  summary_blocked_by: Schema.optionalKey(
    Schema.NullOr(SummaryObstacle).annotate({
      description:
        "Reason why title, summary and chapters cannot be generated; null if they can. Omitted in lists and in responses to changes."
    })
  ),
  folder_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the recording's folder; null for none.",
    examples: ["vip"]
  }),
  transcript_status: TranscriptStatus,
  sharing: Sharing,
  media_access: nullableText(
    "Value of the query parameter `access`, which opens the files of the public page (`/video`, `/thumbnail`, `/captions`) without " +
      "sign-in for 7 days; null for a public recording, which does not need it.",
    "1780272000-mK3vW0oYb5tq7d1S2f4g6h8j0k2l4z6x8c0v2b4n6mA"
  ),
  video: Video,
  trim: Schema.NullOr(Trim).annotate({ description: "Trim of the video; null if the video is whole." }),
  media_work: listOf(VideoWork, "Work on the video in the background; empty if there is none."),
  capture_state: Schema.optionalKey(
    Schema.NullOr(OpenCaptureState).annotate({
      description: "State of the recording's capture; null if there is none, or if it has ended. Omitted in lists."
    })
  ),
  is_seen: Schema.optionalKey(
    flag(
      "False if the recording is new to the caller, for whom it was not marked as seen (`PUT /recordings/{uuid}/seen`; `GET` does not mark it). " +
        "True for recordings that the caller created, and for those that are older than 30 days or than the caller. Omitted in lists of changes " +
        "and in responses to changes.",
      false
    )
  ),
  browser: nullableText("Browser on which the recording was made.", "Firefox 140"),
  os: nullableText("Operating system on which the recording was made.", "Linux"),
  redactions: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Natural).annotate({
      description: "Number of redactions in the capture log, by rule. Omitted if the recording has no log.",
      examples: [{ header: 2, email: 1 }]
    })
  )
}).annotate({
  identifier: "Recording",
  description: "Screen or video recording."
})
export type Recording = typeof Recording.Type

const errorsOf = (description: string, example: Schema.Json) =>
  Schema.Array(Schema.Json).annotate({ description, examples: [[example]] })

/** Errors of a recorded page, which no list contains. */
export const RecordingErrors = Schema.Struct({
  console_errors: errorsOf(
    "Console errors, as any JSON values. Default: the error lines of `console_logs`.",
    "TypeError"
  ),
  network_errors: errorsOf("Network errors, as any JSON values.", {
    url: "https://shop.example.com/api/cart",
    status: 503
  })
}).annotate({ identifier: "RecordingErrors", description: "Errors of the page during the recording." })
export type RecordingErrors = typeof RecordingErrors.Type

export const FolderDeliveries = Schema.Struct({
  folder_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the recording's folder; null for none.",
    examples: ["vip"]
  }),
  states: Schema.Record(Schema.String, Schema.Natural).annotate({
    description:
      "Number of the folder's automations, by the state of their latest delivery of this recording. States without automations are omitted.",
    examples: [{ delivered: 2, waiting: 1 }]
  })
}).annotate({
  identifier: "FolderDeliveries",
  description: "Deliveries of a recording by the automations of its folder."
})
export type FolderDeliveries = typeof FolderDeliveries.Type

export const RecordingPage = Schema.Struct({
  pagination: Pagination,
  records: listOf(Recording, "The recordings of this page, newest first.")
}).annotate({ identifier: "RecordingPage", description: "A page of recordings." })

/** Position of a page in a list that is read by page number or by cursor. */
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
  description: "Position of this page in its list. A list that is read by cursor has no page numbers.",
  examples: [{ count: 1, count_is_exact: true, items: 100 }]
})
export type ListPagination = typeof ListPagination.Type

export const SearchMatch = Schema.Struct({
  start_seconds: Schema.Natural.annotate({
    description: "Start of the sentence, in seconds from the start of the video.",
    examples: [83]
  }),
  text: Schema.String.annotate({
    description: `Sentence, or the part of it around the search's first word, of at most ${MAX_MATCH_CHARACTERS} characters.`,
    examples: ["My card was declined twice."]
  })
}).annotate({ identifier: "SearchMatch", description: "Sentence of a transcript that contains words of a search." })
export type SearchMatch = typeof SearchMatch.Type

/** A recording of a list. */
export const ListedRecording = Schema.Struct({
  ...Recording.fields,
  match: Schema.optionalKey(
    SearchMatch.annotate({
      description:
        "Sentence of the transcript that contains most words of `search`, the first of several. Omitted if the transcript contains none " +
        "of them, or without `search`."
    })
  )
}).annotate({ identifier: "ListedRecording", description: "Screen or video recording of a list." })
export type ListedRecording = typeof ListedRecording.Type

export const RecordingList = Schema.Struct({
  pagination: ListPagination,
  records: listOf(ListedRecording, "The recordings of this page, in the requested order.")
}).annotate({ identifier: "RecordingList", description: "A page of a list of recordings." })

export const DeletedRecording = Schema.Struct({
  uuid: uuid("UUID of the recording."),
  deleted: Schema.Literal(true).annotate({ description: "Always true.", examples: [true] })
}).annotate({
  identifier: "DeletedRecording",
  description: "Recording that was deleted, or that now belongs to another user, whom the caller may not read."
})

export const ChangesPagination = Schema.Struct({
  items: CursorPagination.fields.items,
  has_more: Schema.Boolean.annotate({ description: "True if further changes can be read now.", examples: [false] }),
  next_since: Schema.String.annotate({
    description: "Value of `updated_since` that continues the list after this page, now and later.",
    examples: ["WyJyZWNvcmRpbmcgY2hhbmdlcyIsIjEiXQ"]
  })
}).annotate({ identifier: "ChangesPagination", description: "Position of this page in the list of changes." })

export const RecordingChanges = Schema.Struct({
  pagination: ChangesPagination,
  records: listOf(
    Schema.Union([Recording, DeletedRecording]),
    "The changed recordings, as they are now, and the deleted ones, in the order of commits."
  )
}).annotate({
  identifier: "RecordingChanges",
  description: "A page of changes of recordings: the response to a request with `updated_since`."
})
export type RecordingChanges = typeof RecordingChanges.Type

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
  description: "Reason why no transcript can be made: the server has no transcriber, or the recording has no video.",
  examples: ["no_transcriber"]
})

/** A whole transcript. */
export const Transcript = Schema.Struct({
  recording_uuid: uuid("UUID of the recording."),
  status: TranscriptStatus,
  request_blocked_by: Schema.NullOr(TranscriptObstacle).annotate({
    description: "Reason why no transcript can be made of this recording; null if one can be requested."
  }),
  language: nullableText("Detected language, as a BCP 47 code.", "en"),
  speaker_map: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Display names by the index of the speaker.",
    examples: [{ "0": "Ada", "1": "Customer" }]
  }),
  segments: listOf(TranscriptSegment, "All segments, in order.")
}).annotate({ identifier: "Transcript", description: "Transcript of a recording." })
export type Transcript = typeof Transcript.Type

export const TranscriptInput = input.TranscriptInput.annotate({
  identifier: "TranscriptInput",
  examples: [{ segments: [{ start_seconds: 0, end_seconds: 4, text: "Hello, the checkout does not work." }] }]
})

/** The fields that an import reads from a transcript of a speech recognizer or of this API. */
export const TranscriptImport = Schema.Struct({
  language: Schema.optionalKey(nullableText("Language, as a BCP 47 code or an English name.", "en")),
  speaker_map: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Display names by speaker.",
      examples: [{ "0": "Ada" }]
    })
  ),
  segments: listOf(
    Schema.Struct({
      start: Schema.Finite.annotate({
        description: "Start of the segment, in seconds. `start_seconds` is accepted, too.",
        examples: [1.25]
      }),
      end: Schema.optionalKey(
        Schema.NullOr(Schema.Finite).annotate({
          description: "End of the segment, in seconds. `end_seconds` is accepted, too.",
          examples: [3.001]
        })
      ),
      duration: Schema.optionalKey(
        Schema.NullOr(Schema.Finite).annotate({
          description: "Duration of the segment in seconds, instead of an end. `dur` is accepted, too.",
          examples: [1.751]
        })
      ),
      text: text("Spoken text.", "Hello, the checkout does not work."),
      speaker: Schema.optionalKey(text("Speaker of the segment.", "0")),
      words: Schema.optionalKey(
        Schema.Array(jsonObject).annotate({
          description:
            "Words of the segment, each with `word`, `start` and `end`. All words can be beside the segments instead.",
          examples: [[{ word: "Hello", start: 1.25, end: 1.8 }]]
        })
      )
    }).annotate({ identifier: "ImportedSegment", description: "Segment of a transcript to import." }),
    "All segments, in order."
  )
}).annotate({ identifier: "TranscriptImport", description: "Transcript to import." })
