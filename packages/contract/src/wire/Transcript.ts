import { TranscriptStatus as DomainTranscriptStatus } from "@tapedeck/domain"
import { Schema } from "effect"
import { count, jsonObject, nullableCount, nullableText, text, uuid } from "./fields.ts"
import { Pagination } from "./Pagination.ts"

export const TranscriptStatus = DomainTranscriptStatus.annotate({
  identifier: "TranscriptStatus",
  description: "Whether there is a transcript to read.",
  examples: ["ready"]
})

export const TranscriptSegment = Schema.Struct({
  start_seconds: count("Where the segment begins, in seconds from the start.", 0),
  end_seconds: nullableCount("Where the segment ends, in seconds from the start.", 4),
  text: text("The spoken text.", "Hello, the checkout does not work."),
  sentences: Schema.Array(jsonObject).annotate({
    description: "Timing and speakers by sentence, when known.",
    examples: [[{ text: "Hello,", start: 0, end: 0.8, speaker: "0" }]]
  })
}).annotate({ identifier: "TranscriptSegment", description: "A stretch of speech." })

/** A recording's transcript, with its status. */
export const RecordingTranscript = Schema.Struct({
  recording_uuid: uuid("The recording."),
  status: TranscriptStatus,
  language: Schema.optionalKey(nullableText("Detected language, as a BCP 47 code.", "en")),
  speaker_map: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Display names by diarization speaker index.",
    examples: [{ "0": "Ada", "1": "Customer" }]
  }),
  pagination: Pagination,
  segments: Schema.Array(TranscriptSegment).annotate({ description: "The segments of this page, in order." })
}).annotate({
  identifier: "RecordingTranscript",
  description: "A page of a recording's transcript."
})

export type RecordingTranscript = typeof RecordingTranscript.Type
