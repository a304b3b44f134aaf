import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { RecordingUuidParameter } from "../wire/parameters.ts"
import { bodyErrors, noSuchRecording } from "./fields.ts"
import { IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Transcript, TranscriptImport, TranscriptInput } from "./wire/Recording.ts"
import { Repairs } from "./wire/Repairs.ts"

const params = { uuid: RecordingUuidParameter }

const read = HttpApiEndpoint.get("read", "/recordings/:uuid/transcript", {
  params,
  success: Transcript,
  error: noSuchRecording
})
  .annotateMerge(
    about("transcripts.get", "Get a transcript", "Returns the transcript as in v2, but with all segments at once.")
  )
  .middleware(MemberAccess)

const edit = HttpApiEndpoint.put("edit", "/recordings/:uuid/transcript", {
  params,
  payload: TranscriptInput,
  success: Transcript,
  error: [
    ...bodyErrors,
    noSuchRecording,
    errorV2("Conflict", "The transcript is being made, or the recording is trimmed.")
  ]
})
  .annotateMerge(
    about(
      "transcripts.update",
      "Update a transcript",
      "Replaces the edited segments as a whole. They take precedence over the recognized segments, and are allowed without a transcript, too. " +
        "An empty list removes the edits. A segment has at most 65,536 characters, as JSON. Generated title, summary and chapters are generated " +
        "again; that counts as a request for them (`recordings.summarize`), and beyond its limit they stay.",
      "transcript.updated"
    )
  )
  .middleware(MemberAccess)

const captions = [
  Schema.String.annotate({
    description: "WebVTT.",
    examples: ["WEBVTT\n\n00:01.250 --> 00:03.001\n<v Ada>Hello, the checkout does not work.</v>\n"]
  }).pipe(HttpApiSchema.asText({ contentType: "text/vtt" })),
  Schema.String.annotate({
    description: "SubRip.",
    examples: ["1\n00:00:01,250 --> 00:00:03,001\nHello, the checkout does not work.\n"]
  }).pipe(HttpApiSchema.asText({ contentType: "application/x-subrip" })),
  ...(["application/srt", "text/srt"] as const).map((contentType) =>
    Schema.String.annotate({ description: "SubRip." }).pipe(HttpApiSchema.asText({ contentType }))
  ),
  Schema.String.annotate({
    description: "Plain text of up to 65,536 characters.",
    examples: ["Hello, the checkout does not work."]
  }).pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
]

export const ImportedTranscript = Schema.Struct({
  ...Transcript.fields,
  transcript_repairs: Repairs
}).annotate({
  identifier: "ImportedTranscript",
  description: "Transcript after an import, and the repairs of the file."
})

const bringIn = HttpApiEndpoint.put("import", "/recordings/:uuid/transcript/import", {
  params,
  payload: [TranscriptImport, ...captions],
  success: ImportedTranscript,
  error: [
    errorV2("BadRequest", "The body is empty, or neither UTF-8 nor UTF-16 with a byte order mark."),
    noSuchRecording,
    errorV2("Conflict", "The recording is trimmed."),
    errorV2("UnsupportedMediaType", "`Content-Type` is not one of the supported types."),
    errorV2("Unprocessable", "The body is invalid in its format. The message names line and column.")
  ]
})
  .annotateMerge(
    about(
      "transcripts.import",
      "Import a transcript",
      "Replaces the recognized segments with a file of up to 16 MiB: WebVTT, SubRip (`.srt`), JSON or plain text. JSON must have the shape " +
        "of this API, of Whisper (`verbose_json`) and its derivatives, or of whisper.cpp, Deepgram, AssemblyAI or AWS Transcribe. Edited " +
        "segments still take precedence. The times of a segment are rounded outward to whole seconds, and its `sentences` keep the exact times; " +
        "voices become speakers. Plain text becomes one segment without times, but captions that are sent as plain text are detected. The " +
        "transcript becomes `ready`, even if one was being made. Limits: 65,536 characters of a segment as JSON, 50,000 segments, 250,000 " +
        "sentences, 250,000 words with times, 500,000 lines of WebVTT or SubRip, and 2,000,000 JSON values; a larger file is refused with 422. " +
        "A time before 0 becomes 0, an end before its start becomes the start, and `NaN` in JSON is a missing value. Unreadable segments and " +
        "cues are omitted. The response lists the repairs. If the server has a summarizer, title, summary and chapters are generated; that " +
        "counts as a request for them (`recordings.summarize`), and beyond its limit they stay.",
      "transcript.updated"
    )
  )
  .middleware(MemberAccess)

const request = HttpApiEndpoint.post("request", "/recordings/:uuid/transcript/request", {
  params,
  headers: idempotencyKey,
  success: Transcript,
  error: [noSuchRecording, errorV2("Conflict", "The transcript is being made already.")]
})
  .annotateMerge(
    about(
      "transcripts.request",
      "Request a transcript",
      "Requests a transcript, for the first time or again. The status becomes `processing`; a transcript with edits stays `ready`.",
      "transcript.requested"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

export class Transcripts extends HttpApiGroup.make("transcripts")
  .add(read, edit, bringIn, request)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Transcripts",
      description: "Transcripts of recordings: read, edit, import and request them."
    })
  ) {}
