import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { RecordingUuidParameter } from "../wire/parameters.ts"
import { about, bodyErrors, noSuchRecording } from "./fields.ts"
import { MemberAccess } from "./middleware.ts"
import { Transcript, TranscriptInput } from "./wire/Recording.ts"

const params = { uuid: RecordingUuidParameter }

const read = HttpApiEndpoint.get("read", "/recordings/:uuid/transcript", {
  params,
  success: Transcript,
  error: noSuchRecording
})
  .annotateMerge(about("getTranscript", "Read a transcript", "As v2 shows it, but all segments at once, to be edited."))
  .middleware(MemberAccess)

const edit = HttpApiEndpoint.put("edit", "/recordings/:uuid/transcript", {
  params,
  payload: TranscriptInput,
  success: Transcript,
  error: [...bodyErrors, noSuchRecording, errorV2("Conflict", "The transcript is not `ready`.")]
})
  .annotateMerge(
    about(
      "editTranscript",
      "Edit a transcript",
      "The segments become the edited source, as a whole, and come before what was recognized. An empty list takes the edits back."
    )
  )
  .middleware(MemberAccess)

const request = HttpApiEndpoint.post("request", "/recordings/:uuid/transcript/request", {
  params,
  success: Transcript,
  error: [noSuchRecording, errorV2("Conflict", "The transcript is being made already.")]
})
  .annotateMerge(
    about(
      "requestTranscript",
      "Ask for a transcript",
      "For the first time or again; it is `processing` then. Edits stay, and go on coming first."
    )
  )
  .middleware(MemberAccess)

export class Transcripts extends HttpApiGroup.make("transcripts")
  .add(read, edit, request)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Transcripts",
      description: "Reading, correcting, and asking again."
    })
  ) {}
