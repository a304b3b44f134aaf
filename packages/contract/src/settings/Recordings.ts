import { VideoVersion as DomainVideoVersion } from "@tapedeck/domain"
import { MAX_SUMMARY_REQUESTS } from "@tapedeck/domain/internal/recordings"
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
  FolderDeliveries,
  Recording,
  RecordingChange,
  RecordingChanges,
  RecordingErrors,
  RecordingInput,
  RecordingList,
  TrimInput
} from "./wire/Recording.ts"

const params = { uuid: RecordingUuidParameter }

const VideoVersion = DomainVideoVersion.annotate({
  description:
    "Version of the video file. Default: `original`. A download returns the edited file if there is one, else the processed file, else the original.",
  examples: ["edited"]
})

const beyondQuota = errorV2("Conflict", "The recording exceeds a quota of the member. The message names it.")
const notUploaded = errorV2(
  "Conflict",
  "The file exceeds a quota of the member, which the message names; the recording is being captured; or it is trimmed, and the file is " +
    "not a new original."
)

const list = HttpApiEndpoint.get("list", "/recordings", {
  query: RecordingQuery,
  success: [RecordingList, RecordingChanges],
  error: errorV2(
    "Gone",
    "`updated_since` is older than 30 days, or of another database (a restored or moved one), user or role. Read the whole list again."
  )
})
  .annotateMerge(
    about(
      "recordings.list",
      "List recordings",
      "Lists recordings. A member sees their own recordings, an admin all recordings of the account. Without filters, and with " +
        "`ticket_id`, pages have numbers, as in v2. With a search, a filter, `sort`, `items` or `cursor`, pages have cursors, and `count` " +
        "counts at most 10,000. A recording must match all filters. `uuids` reads some recordings in one request, without further pages. " +
        "With `updated_since`, the response lists changes in the order of their commits, and misses none: " +
        "recordings as they are now, and `{uuid, deleted: true}` for those that the caller no longer sees. Views, and changes of an owner's " +
        "name or e-mail address, do not count as changes. A recording may be listed again without a change."
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
      "Create a recording",
      "Creates a recording without a video, which you upload next. Members own what they create. With `folder_id`, the recording enters that " +
        "folder, and the folder's automations fire.",
      "recording.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

const read = HttpApiEndpoint.get("read", "/recordings/:uuid", { params, success: Recording, error: noSuchRecording })
  .annotateMerge(about("recordings.get", "Get a recording", "Returns a recording, with its folder and its files."))
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
      "Returns the console and network errors of the recorded page, as in webhooks: at most 1,000,000 characters of JSON each."
    )
  )
  .middleware(MemberAccess)

const folderDeliveries = HttpApiEndpoint.get("folderDeliveries", "/recordings/:uuid/folder-deliveries", {
  params,
  success: FolderDeliveries,
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.getFolderDeliveries",
      "Get the deliveries of a recording's folder",
      "Counts the automations of the recording's folder by the state of their latest delivery of the recording, among its latest 100 " +
        "deliveries. Send-tests, automations that have sent nothing, and deleted ones are not counted. A member sees the counts of their own " +
        "recordings; the deliveries themselves are for admins."
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
      "Update a recording",
      "Changes texts, owner, customer, helpdesk, technical details or console output of a recording; for admins only. Fields that you omit keep their value.",
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
      "Returns the best video file, as in v2: the edited file if there is one, else the processed file, else the original.",
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
    errorV2("BadRequest", "The body is empty or incomplete, or `version` is invalid."),
    noSuchRecording,
    notUploaded,
    errorV2("UnsupportedMediaType", "`Content-Type` is not a media type, or the body has a `Content-Encoding`."),
    errorV2("Unprocessable", "The file is not a video.")
  ]
})
  .annotateMerge(
    about(
      "recordings.upload",
      "Upload the video",
      "Stores the body as a video file of the recording, with its `Content-Type`, up to the service's limit for uploads. An original replaces all files of " +
        "the recording; `version` selects the processed or the edited file instead. An interrupted upload stores nothing.",
      "recording.updated"
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const markSeen = HttpApiEndpoint.put("markSeen", "/recordings/:uuid/seen", {
  params,
  success: noContent("The recording is seen."),
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.markSeen",
      "Mark a recording as seen",
      "Marks the recording as seen by the caller: `is_seen` becomes true. `GET` does not mark it. A recording that is older than 30 days or " +
        "than the caller is seen without a mark. A repeat changes nothing. Does not change the recording or another user's `is_seen`."
    )
  )
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
      "Move a recording to a folder",
      "Moves a recording to a folder, and removes it from its previous folder. The folder's automations fire, unless the recording was in it already.",
      "recording.added_to_folder"
    )
  )
  .middleware(MemberAccess)

const leave = HttpApiEndpoint.delete("leave", "/recordings/:uuid/folder", {
  params,
  success: noContent("The recording is in no folder."),
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.removeFromFolder",
      "Remove a recording from its folder",
      "Removes a recording from its folder. No automation fires.",
      "recording.removed_from_folder"
    )
  )
  .middleware(MemberAccess)

const remove = HttpApiEndpoint.delete("delete", "/recordings/:uuid", {
  params,
  success: noContent("The recording is deleted."),
  error: noSuchRecording
})
  .annotateMerge(
    about(
      "recordings.delete",
      "Delete a recording",
      "Deletes a recording with its files and its transcript, and ends its capture. Pending webhooks are still delivered.",
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
      "The recording has no video, is trimmed already or being processed, or has an edited file; or the server has no ffmpeg."
    )
  ]
})
  .annotateMerge(
    about(
      "recordings.trim",
      "Trim the video",
      "Creates an edited file from a part of the video, in the background; `trim.state` shows the progress. From then on, transcript and log " +
        "are cut to the part, with its times. The whole video is kept.",
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
      "Restores the whole video, with its transcript and its log.",
      "recording.updated"
    )
  )
  .middleware(MemberAccess)

const { account, recording, user } = MAX_SUMMARY_REQUESTS
const summaryLimit = `At most ${recording} requests an hour for a recording, ${user} for a user and ${account} for an account`

const summarize = HttpApiEndpoint.post("summarize", "/recordings/:uuid/summary/request", {
  params,
  headers: idempotencyKey,
  success: Recording,
  error: [
    noSuchRecording,
    errorV2(
      "Conflict",
      "The server has no summarizer, the recording has no transcript, or the texts are being generated already."
    )
  ]
})
  .annotateMerge(
    about(
      "recordings.summarize",
      "Request title, summary and chapters",
      "Generates title, summary and chapters from the redacted transcript, in the background; `media_work` shows the progress. Generated texts " +
        `are replaced, and missing ones filled. A text that a person wrote is never replaced. ${summaryLimit}; beyond that, 429 with ` +
        "`Retry-After`.",
      "recording.updated"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

export class Recordings extends HttpApiGroup.make("recordings")
  .add(
    list,
    create,
    read,
    errors,
    folderDeliveries,
    update,
    download,
    upload,
    trim,
    untrim,
    summarize,
    markSeen,
    move,
    leave,
    remove
  )
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Recordings",
      description:
        "Recordings, their video files and folders. A member has access to their own recordings, an admin to all."
    })
  ) {}
