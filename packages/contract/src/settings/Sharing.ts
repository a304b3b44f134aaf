import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { RecordingUuidParameter } from "../wire/parameters.ts"
import { bodyErrors, created, idParameter, noContent, noSuchRecording } from "./fields.ts"
import { MemberAccess } from "./middleware.ts"
import { RecordingSharing, ShareLink, ShareLinkInput, SharingInput } from "./wire/Sharing.ts"

const params = { uuid: RecordingUuidParameter }

const read = HttpApiEndpoint.get("read", "/recordings/:uuid/sharing", {
  params,
  success: RecordingSharing,
  error: noSuchRecording
})
  .annotateMerge(
    about("sharing.get", "Get the sharing", "Returns who can open a recording's public page, and its share links.")
  )
  .middleware(MemberAccess)

const set = HttpApiEndpoint.put("set", "/recordings/:uuid/sharing", {
  params,
  payload: SharingInput,
  success: RecordingSharing,
  error: [...bodyErrors, noSuchRecording]
})
  .annotateMerge(
    about(
      "sharing.set",
      "Update the sharing",
      "Sets who can open a recording's public page. If the recording is not public, `video_url` and `thumbnail_url` of webhooks have a " +
        "signature that is valid for at least 7 days.",
      "recording.sharing_changed"
    )
  )
  .middleware(MemberAccess)

const createLink = HttpApiEndpoint.post("create_link", "/recordings/:uuid/share-links", {
  params,
  payload: ShareLinkInput,
  success: created(ShareLink),
  error: [...bodyErrors, noSuchRecording, errorV2("Conflict", "The recording has 50 links, which is the maximum.")]
})
  .annotateMerge(
    about(
      "sharing.createLink",
      "Create a share link",
      "Creates a link that opens the recording until it expires or is revoked.",
      "recording.share_link_created"
    )
  )
  .middleware(MemberAccess)

const revokeLink = HttpApiEndpoint.delete("revoke_link", "/recordings/:uuid/share-links/:id", {
  params: { ...params, id: idParameter("link") },
  success: noContent("The link is revoked."),
  error: errorV2("NotFound", "The recording or the link does not exist, or the caller cannot see it.")
})
  .annotateMerge(
    about(
      "sharing.revokeLink",
      "Revoke a share link",
      "Revokes a link. It no longer opens the recording.",
      "recording.share_link_revoked"
    )
  )
  .middleware(MemberAccess)

export class SharingGroup extends HttpApiGroup.make("sharing")
  .add(read, set, createLink, revokeLink)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Sharing", description: "Access to the public pages of recordings, and share links." })
  ) {}
