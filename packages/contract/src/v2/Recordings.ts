import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { PageQuery, RecordingQuery, RecordingUuidParameter } from "../wire/parameters.ts"
import { Recording, RecordingPage, RecordingUpdate } from "../wire/Recording.ts"
import { RecordingTranscript } from "../wire/Transcript.ts"
import { AdminOnly, ApiAccess, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"

const params = { uuid: RecordingUuidParameter }

const noSuchRecording = errorV2("NotFound", "The recording does not exist, or the caller cannot see it.")

const videoTypes = ["video/mp4", "video/webm", "video/quicktime", "application/octet-stream"] as const

const part = (contentType: (typeof videoTypes)[number]) =>
  Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType }), HttpApiSchema.status(206)).annotate({
    description: "The requested range of bytes."
  })

const header = (description: string, example: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, examples: [example] }))

/** Headers of a request for a video. */
export const videoConditions = {
  range: header(
    "A single range of bytes (RFC 9110, 14.2). Any other value is ignored, and the response has the whole file.",
    "bytes=0-1023"
  ),
  "if-range": header(
    "`ETag` to which `Range` applies. If the file has another one, the response has the whole file.",
    '"9f86d081"'
  ),
  "if-match": header("`ETag` that the file must have. If the file has another one, the response is 412.", '"9f86d081"'),
  "if-unmodified-since": header(
    "Without `If-Match`: if the recording was changed after this date, the response is 412.",
    "Thu, 01 Jan 2026 00:00:00 GMT"
  ),
  "if-none-match": header(
    "`ETag` of the caller's copy. If the file has the same one, the response is 304.",
    '"9f86d081"'
  )
}

/** Responses with a video: the whole file, a part of it, or nothing if the caller's copy is current. */
export const videoAnswers = [
  HttpApiSchema.StreamUint8Array({ contentType: videoTypes }),
  part("video/mp4"),
  part("video/webm"),
  part("video/quicktime"),
  part("application/octet-stream"),
  HttpApiSchema.Empty(304).annotate({ description: "The file still has the `ETag` of `If-None-Match`." })
] as const

export const videoErrors = [
  errorV2("Conflict", "The recording has no video file yet."),
  errorV2("PreconditionFailed", "The condition of `If-Match` or `If-Unmodified-Since` is false."),
  errorV2("RangeNotSatisfiable", "`Range` starts after the end of the file.")
] as const

/** GET /recordings */
const listRecordings = HttpApiEndpoint.get("list", "/recordings", {
  query: RecordingQuery,
  success: RecordingPage
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recordings.list",
      summary: "List recordings",
      description:
        "Lists recordings, newest first, by page. A member sees their own recordings, an admin all recordings of the account. " +
        "With `ticket_id`, lists only recordings of that helpdesk ticket, conversation, issue or object."
    })
  )
  .middleware(QueryValidation)
  .middleware(ApiAccess)

/** GET /recordings/{uuid} */
const getRecording = HttpApiEndpoint.get("get", "/recordings/:uuid", {
  params,
  success: Recording,
  error: noSuchRecording
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recordings.get",
      summary: "Get a recording",
      description: "Returns a recording by its UUID. For a member, recordings of other users are not found."
    })
  )
  .middleware(ApiAccess)

/** PATCH /recordings/{uuid}. A server decodes the payload after it has looked up the recording: 404 comes before 422. */
const updateRecording = HttpApiEndpoint.patch("update", "/recordings/:uuid", {
  params,
  payload: RecordingUpdate,
  success: Recording,
  error: [
    errorV2("BadRequest", "The body is missing, is not a JSON object, or has none of the three fields of `recording`."),
    noSuchRecording,
    errorV2("UnsupportedMediaType", "The body is not `application/json`."),
    errorV2("Unprocessable", "A value is invalid. The message names the field.")
  ]
})
  .annotateMerge(
    about(
      "recordings.update",
      "Update a recording",
      "Changes the title, summary or description of a recording; for admins only. Fields that you omit keep their value. " +
        "`updated_at` changes only if a value changes.",
      "recording.updated"
    )
  )
  .middleware(AdminOnly)

/** GET /recordings/{uuid}/download */
const downloadRecording = HttpApiEndpoint.get("download", "/recordings/:uuid/download", {
  params,
  headers: videoConditions,
  success: videoAnswers,
  error: [noSuchRecording, ...videoErrors]
})
  .annotateMerge(
    about(
      "recordings.download",
      "Download the video",
      "Returns the best video file: the edited file if there is one, else the processed file, else the original upload. " +
        "A single range of bytes in `Range` returns that part of the file; several ranges return the whole file.",
      "recording.downloaded"
    )
  )
  .middleware(ApiAccess)

/** GET /recordings/{uuid}/transcript */
const getTranscript = HttpApiEndpoint.get("transcript", "/recordings/:uuid/transcript", {
  params,
  query: PageQuery,
  success: RecordingTranscript,
  error: noSuchRecording
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recordings.transcript",
      summary: "Get a transcript",
      description:
        "Returns the timestamped transcript, up to 100 segments a page. Its status is `unavailable` if the recording has no transcript, and " +
        "`processing` while the transcript is being made; neither has segments."
    })
  )
  .middleware(QueryValidation)
  .middleware(ApiAccess)

export class Recordings extends HttpApiGroup.make("recordings")
  .add(listRecordings, getRecording, updateRecording, downloadRecording, getTranscript)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Recordings",
      description: "Screen and video recordings, their files and transcripts."
    })
  ) {}
