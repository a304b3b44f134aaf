import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { PageQuery, RecordingQuery, RecordingUuidParameter } from "../wire/parameters.ts"
import { Recording, RecordingPage, RecordingUpdate } from "../wire/Recording.ts"
import { RecordingTranscript } from "../wire/Transcript.ts"
import { AdminOnly, ApiAccess, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"

const params = { uuid: RecordingUuidParameter }

const noSuchRecording = errorV2("NotFound", "There is no such recording, or the caller may not see it.")

const videoTypes = ["video/mp4", "video/webm", "video/quicktime", "application/octet-stream"] as const

const part = (contentType: (typeof videoTypes)[number]) =>
  Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType }), HttpApiSchema.status(206)).annotate({
    description: "The bytes that `Range` requested."
  })

const header = (description: string, example: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, examples: [example] }))

/** What a request for a video may say. */
export const videoConditions = {
  range: header("One range of bytes; anything else is answered with the whole file (RFC 9110, 14.2).", "bytes=0-1023"),
  "if-range": header("The `ETag` that `Range` is meant for: a file with another one is answered whole.", '"9f86d081"'),
  "if-match": header("An `ETag` that the file must have: one with another `ETag` is answered with 412.", '"9f86d081"'),
  "if-unmodified-since": header(
    "Without `if-match`: a recording that was changed after this date is answered with 412.",
    "Thu, 01 Jan 2026 00:00:00 GMT"
  ),
  "if-none-match": header("An `ETag` that the caller has: a file with the same one is answered with 304.", '"9f86d081"')
}

/** How a video is answered: the whole file, a part of it, or nothing where the caller has it. */
export const videoAnswers = [
  HttpApiSchema.StreamUint8Array({ contentType: videoTypes }),
  part("video/mp4"),
  part("video/webm"),
  part("video/quicktime"),
  part("application/octet-stream"),
  HttpApiSchema.Empty(304).annotate({ description: "The file is still the one that `If-None-Match` names." })
] as const

export const videoErrors = [
  errorV2("Conflict", "There is no video file yet."),
  errorV2("PreconditionFailed", "`If-Match` or `If-Unmodified-Since` does not hold."),
  errorV2("RangeNotSatisfiable", "`Range` starts past the end of the file.")
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
        "Recordings, newest first, a page at a time. A member sees their own, an admin all of the account. " +
        "With `ticket_id`, only those of that helpdesk ticket, conversation, issue or object."
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
      description: "One recording by its UUID. Another user's recording does not exist for a member."
    })
  )
  .middleware(ApiAccess)

/** PATCH /recordings/{uuid}. A server takes the payload raw: what is wrong with it comes after 404. */
const updateRecording = HttpApiEndpoint.patch("update", "/recordings/:uuid", {
  params,
  payload: RecordingUpdate,
  success: Recording,
  error: [
    errorV2("BadRequest", "No body, no JSON, no object, or a `recording` without any of the three fields."),
    noSuchRecording,
    errorV2("UnsupportedMediaType", "The body is not `application/json`."),
    errorV2("Unprocessable", "A value is not allowed; the message names the field.")
  ]
})
  .annotateMerge(
    about(
      "recordings.update",
      "Update a recording",
      "Changes title, summary or description, for admins only. Fields that are left out stay as they are; " +
        "`updated_at` moves only when something changed.",
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
      "The best video file there is: the edited one, else the processed one, else the original upload. " +
        "A single `Range` of bytes is answered in part; several are answered with the whole file.",
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
      summary: "Read a transcript",
      description:
        "The timestamped transcript, up to 100 segments a page. A recording without one answers `unavailable`, " +
        "one that is still being transcribed `processing`; neither has segments."
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
