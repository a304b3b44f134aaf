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
    about("transcripts.get", "Read a transcript", "As v2 shows it, but all segments at once, to be edited.")
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
      "Edit a transcript",
      "The segments become the edited source, as a whole, and come before what was recognized; also where there is no " +
        "transcript. An empty list takes the edits back. A segment has at most 65,536 characters, as JSON.",
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
    description: "Text alone, up to 65,536 characters.",
    examples: ["Hello, the checkout does not work."]
  }).pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
]

export const ImportedTranscript = Schema.Struct({
  ...Transcript.fields,
  transcript_repairs: Repairs
}).annotate({
  identifier: "ImportedTranscript",
  description: "The transcript after an import, and the repairs of the file."
})

const bringIn = HttpApiEndpoint.put("import", "/recordings/:uuid/transcript/import", {
  params,
  payload: [TranscriptImport, ...captions],
  success: ImportedTranscript,
  error: [
    errorV2("BadRequest", "The body is empty, or neither UTF-8 nor UTF-16 with a byte order mark."),
    noSuchRecording,
    errorV2("Conflict", "The recording is trimmed."),
    errorV2("UnsupportedMediaType", "`Content-Type` is not one of these."),
    errorV2("Unprocessable", "The body is not valid in its format; the message names line and column.")
  ]
})
  .annotateMerge(
    about(
      "transcripts.import",
      "Bring a transcript along",
      "WebVTT, SubRip (`.srt`), JSON or plain text, up to 16 MiB; JSON as this API writes it, or as Whisper (`verbose_json`) and " +
        "its derivatives, whisper.cpp, Deepgram, AssemblyAI and AWS Transcribe do; any other is refused. It becomes what was recognized, as a whole; edits go on coming first. Segments get whole seconds " +
        "around their exact times, which their `sentences` keep; voices become speakers. Plain text becomes one segment, without times; captions that are sent as plain text are recognized. A segment has at most 65,536 characters, as JSON. The transcript is `ready` then, also if " +
        "one was being made. At most 50,000 segments, 250,000 sentences, 250,000 words with times, 500,000 lines of WebVTT or " +
        "SubRip, and 2,000,000 values of JSON: beyond that, 422. A time before 0 becomes 0, an end before the start the " +
        "start, `NaN` in JSON a missing value; a segment or a cue that cannot be read is left out. The answer says what was repaired.",
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
      "For the first time or again. Its status becomes `processing`; a transcript with edits stays `ready`.",
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
      description: "Reading, correcting, bringing one along, and asking again."
    })
  ) {}
