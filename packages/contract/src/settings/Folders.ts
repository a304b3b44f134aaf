import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { dateTime, text } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created, id, idParameter, listOf, noContent, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { RecordingPage } from "./wire/Recording.ts"

const params = { id: idParameter("folder") }

export const Folder = Schema.Struct({
  id: id("folder"),
  name: text("Label.", "VIP customers"),
  created_at: dateTime("When it was made.")
}).annotate({ identifier: "Folder", description: "A folder of recordings. What is added to it fires its automations." })
export type Folder = typeof Folder.Type

export const FolderPage = Schema.Struct({
  pagination: Pagination,
  folders: listOf(Folder, "The folders of this page, in the order in which they were made.")
}).annotate({ identifier: "FolderPage", description: "A page of folders." })

export const FolderInput = Schema.Struct({
  name: Schema.String.annotate({ description: "Label: not blank.", examples: ["VIP customers"], maxLength: 255 })
}).annotate({ identifier: "FolderInput", description: "A folder to make, or its new name." })

const list = HttpApiEndpoint.get("list", "/folders", { query: PageQuery, success: FolderPage })
  .annotateMerge(
    about("folders.list", "List folders", "All folders of the account, in the order in which they were made.")
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const create = HttpApiEndpoint.post("create", "/folders", {
  headers: idempotencyKey,
  payload: FolderInput,
  success: created(Folder),
  error: bodyErrors
})
  .annotateMerge(about("folders.create", "Make a folder", "Makes a folder; for admins only.", "folder.created"))
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/folders/:id", { params, success: Folder, error: noSuch("folder") })
  .annotateMerge(about("folders.get", "Get a folder", "One folder."))
  .middleware(MemberAccess)

const rename = HttpApiEndpoint.patch("rename", "/folders/:id", {
  params,
  payload: FolderInput,
  success: Folder,
  error: [...bodyErrors, noSuch("folder")]
})
  .annotateMerge(
    about("folders.update", "Rename a folder", "Gives a folder another name; for admins only.", "folder.updated")
  )
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/folders/:id", {
  params,
  success: noContent("The folder is gone."),
  error: noSuch("folder")
})
  .annotateMerge(
    about(
      "folders.delete",
      "Delete a folder",
      "Its recordings leave it. Its automations go with it, and what they had still to deliver is called off. For admins only.",
      "folder.deleted",
      "automation.deleted"
    )
  )
  .middleware(AdminAccess)

const recordings = HttpApiEndpoint.get("recordings", "/folders/:id/recordings", {
  params,
  query: PageQuery,
  success: RecordingPage,
  error: noSuch("folder")
})
  .annotateMerge(
    about(
      "folders.listRecordings",
      "List a folder's recordings",
      "What is in the folder, newest first. A member sees their own, an admin all."
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

export class Folders extends HttpApiGroup.make("folders")
  .add(list, create, read, rename, remove, recordings)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Folders",
      description:
        "Folders of recordings. All users see them and may put their own recordings in them; admins change them."
    })
  ) {}
