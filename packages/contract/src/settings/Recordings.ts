import { VideoVersion as DomainVideoVersion } from "@tapedeck/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { videoAnswers, videoConditions, videoErrors } from "../v2/Recordings.ts"
import { RecordingUuidParameter } from "../wire/parameters.ts"
import { bodyErrors, created, noContent, noSuchRecording } from "./fields.ts"
import { AdminAccess, IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey, RecordingQuery } from "./parameters.ts"
import {
  FolderChoice,
  Recording,
  RecordingChange,
  RecordingErrors,
  RecordingInput,
  RecordingList,
  TrimInput
} from "./wire/Recording.ts"

const params = { uuid: RecordingUuidParameter }

const VideoVersion = DomainVideoVersion.annotate({
  description: "The kind of file. Default: `original`. A download streams edited, else processed, else original.",
  examples: ["edited"]
})

const beyondQuota = errorV2("Conflict", "It goes beyond the member's quota that the message names.")
const notUploaded = errorV2(
  "Conflict",
  "It goes beyond the member's quota that the message names; or the recording is being captured; or it is trimmed, and the file " +
    "is not a new original."
)

const list = HttpApiEndpoint.get("list", "/recordings", { query: RecordingQuery, success: RecordingList })
  .annotateMerge(
    about(
      "recordings.list",
      "List recordings",
      "A member's own, or all for admins. Without filters, and with `ticket_id`, as v2 lists them, by page number. With a search, " +
        "a filter or `sort`, which must all hold: by cursor, and counted to 10,000 at most."
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const create = HttpApiEndpoint.post("create", "/recordings", {
  headers: idempotencyKey,
  payload: RecordingInput,
  success: created(Recording),
  error: [...bodyErrors, beyondQuota]
})
  .annotateMerge(
    about(
      "recordings.create",
      "Make a recording",
      "Makes a recording; its video is uploaded next. A member makes their own only. With `folder_id` it goes to that folder, " +
        "and the folder's automations fire.",
      "recording.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

const read = HttpApiEndpoint.get("read", "/recordings/:uuid", { params, success: Recording, error: noSuchRecording })
  .annotateMerge(about("recordings.get", "Get a recording", "One recording, with its folder and its files."))
  .middleware(MemberAccess)

const errors = HttpApiEndpoint.get("errors", "/recordings/:uuid/errors", {
  params,
  success: RecordingErrors,
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.getErrors",
      "Get a recording's errors",
      "The console and network errors of the recorded page, as a webhook contains them: 1,000,000 characters of JSON each at most."
    )
  )
  .middleware(MemberAccess)

const update = HttpApiEndpoint.patch("update", "/recordings/:uuid", {
  params,
  payload: RecordingChange,
  success: Recording,
  error: [...bodyErrors, noSuchRecording]
})
  .annotateMerge(
    about(
      "recordings.update",
      "Change a recording",
      "Its texts, owner, customer, helpdesk, technical details and console output, for admins only. What is left out stays.",
      "recording.updated"
    )
  )
  .middleware(AdminAccess)

const download = HttpApiEndpoint.get("download", "/recordings/:uuid/video", {
  params,
  headers: videoConditions,
  success: videoAnswers,
  error: [noSuchRecording, ...videoErrors]
})
  .annotateMerge(
    about(
      "recordings.download",
      "Download the video",
      "As v2 does: the edited file, else the processed one, else the original.",
      "recording.downloaded"
    )
  )
  .middleware(MemberAccess)

const upload = HttpApiEndpoint.put("upload", "/recordings/:uuid/video", {
  params,
  query: { version: Schema.optionalKey(VideoVersion) },
  payload: HttpApiSchema.StreamUint8Array({
    contentType: ["video/mp4", "video/webm", "video/quicktime", "application/octet-stream"]
  }),
  success: Recording,
  error: [
    errorV2("BadRequest", "The body is empty or incomplete, or `version` is not one of the three."),
    noSuchRecording,
    notUploaded,
    errorV2("UnsupportedMediaType", "`Content-Type` is no media type, or the body has a `Content-Encoding`."),
    errorV2("Unprocessable", "The file is no video.")
  ]
})
  .annotateMerge(
    about(
      "recordings.upload",
      "Upload the video",
      "The body is the file. Its `Content-Type` is stored. Default limit: 1 GiB. It becomes the " +
        "original, in the place of all files that there were; with `version` the processed or the edited file. An interrupted upload leaves nothing.",
      "recording.updated"
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const move = HttpApiEndpoint.put("move", "/recordings/:uuid/folder", {
  params,
  payload: FolderChoice,
  success: Recording,
  error: [...bodyErrors, noSuchRecording]
})
  .annotateMerge(
    about(
      "recordings.move",
      "Put a recording into a folder",
      "And so out of the folder where it was. The folder's automations fire, unless it was there already.",
      "recording.added_to_folder"
    )
  )
  .middleware(MemberAccess)

const leave = HttpApiEndpoint.delete("leave", "/recordings/:uuid/folder", {
  params,
  success: noContent("It is in no folder."),
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.removeFromFolder",
      "Take a recording out of its folder",
      "Nothing fires.",
      "recording.removed_from_folder"
    )
  )
  .middleware(MemberAccess)

const remove = HttpApiEndpoint.delete("delete", "/recordings/:uuid", {
  params,
  success: noContent("The recording is gone."),
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.delete",
      "Delete a recording",
      "With its files and its transcript. Its capture ends and takes no more. Webhooks on their way are delivered.",
      "recording.deleted"
    )
  )
  .middleware(MemberAccess)

const trim = HttpApiEndpoint.put("trim", "/recordings/:uuid/trim", {
  params,
  payload: TrimInput,
  success: Recording,
  error: [
    ...bodyErrors,
    noSuchRecording,
    errorV2(
      "Conflict",
      "There is no video, it is trimmed already or being processed, it has an edited file, or the server has no ffmpeg."
    )
  ]
})
  .annotateMerge(
    about(
      "recordings.trim",
      "Trim the video",
      "Makes the edited file of a part of the video, in the background: `trim.state` says how far it is. From then on transcript " +
        "and log are those of the part, by its time. The whole is kept.",
      "recording.updated"
    )
  )
  .middleware(MemberAccess)

const untrim = HttpApiEndpoint.delete("untrim", "/recordings/:uuid/trim", {
  params,
  success: Recording,
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.untrim",
      "Undo the trim",
      "The whole video again, with its transcript and its log.",
      "recording.updated"
    )
  )
  .middleware(MemberAccess)

export class Recordings extends HttpApiGroup.make("recordings")
  .add(list, create, read, errors, update, download, upload, trim, untrim, move, leave, remove)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Recordings",
      description: "How recordings come, move, change and go: a member's own, or all for admins."
    })
  ) {}
