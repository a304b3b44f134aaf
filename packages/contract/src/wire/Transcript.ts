import { TranscriptStatus as DomainTranscriptStatus } from "@tapedeck/domain"
import { Schema } from "effect"
import { count, jsonObject, nullableCount, nullableText, text, uuid } from "./fields.ts"
import { Pagination } from "./Pagination.ts"

export const TranscriptStatus = DomainTranscriptStatus.annotate({
  identifier: "TranscriptStatus",
  description: "Status of the transcript: `ready` to be read, being made (`processing`), or `unavailable`.",
  examples: ["ready"]
})

export const TranscriptSegment = Schema.Struct({
  start_seconds: count("Start of the segment, in seconds from the start of the recording.", 0),
  end_seconds: nullableCount("End of the segment, in seconds from the start of the recording.", 4),
  text: text("Spoken text.", "Hello, the checkout does not work."),
  sentences: Schema.Array(jsonObject).annotate({
    description: "Times and speakers by sentence; empty if they are not known.",
    examples: [[{ text: "Hello,", start: 0, end: 0.8, speaker: "0" }]]
  })
}).annotate({ identifier: "TranscriptSegment", description: "Segment of a transcript." })

/** A recording's transcript, with its status. */
export const RecordingTranscript = Schema.Struct({
  recording_uuid: uuid("UUID of the recording."),
  status: TranscriptStatus,
  language: Schema.optionalKey(nullableText("Detected language, as a BCP 47 code.", "en")),
  speaker_map: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Display names by the index of the speaker.",
    examples: [{ "0": "Ada", "1": "Customer" }]
  }),
  pagination: Pagination,
  segments: Schema.Array(TranscriptSegment).annotate({ description: "The segments of this page, in order." })
}).annotate({
  identifier: "RecordingTranscript",
  description: "A page of a recording's transcript."
})

export type RecordingTranscript = typeof RecordingTranscript.Type
