import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { dateTime } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created, id, idParameter, listOf, noContent, noSuch, textAs } from "./fields.ts"
import { AdminAccess, IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { RecordingPage } from "./wire/Recording.ts"

const params = { id: idParameter("folder") }

export const Folder = Schema.Struct({
  id: id("folder"),
  name: textAs(input.folderFields.name),
  created_at: dateTime("Time at which the folder was created.")
}).annotate({
  identifier: "Folder",
  description: "Folder of recordings. A recording that is added to it fires the folder's automations."
})
export type Folder = typeof Folder.Type

export const FolderPage = Schema.Struct({
  pagination: Pagination,
  folders: listOf(Folder, "The folders of this page.")
}).annotate({ identifier: "FolderPage", description: "A page of folders." })

const example = { name: "VIP customers" }

export const FolderInput = input.FolderInput.annotate({ identifier: "FolderInput", examples: [example] })

export const FolderChange = input.FolderChange.annotate({ identifier: "FolderChange", examples: [example] })

const list = HttpApiEndpoint.get("list", "/folders", { query: PageQuery, success: FolderPage })
  .annotateMerge(
    about("folders.list", "List folders", "Lists the folders of the account, in the order in which they were created.")
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const create = HttpApiEndpoint.post("create", "/folders", {
  headers: idempotencyKey,
  payload: FolderInput,
  success: created(Folder),
  error: bodyErrors
})
  .annotateMerge(about("folders.create", "Create a folder", "Creates an empty folder.", "folder.created"))
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/folders/:id", { params, success: Folder, error: noSuch("folder") })
  .annotateMerge(about("folders.get", "Get a folder", "Returns a folder."))
  .middleware(MemberAccess)

const rename = HttpApiEndpoint.patch("rename", "/folders/:id", {
  params,
  payload: FolderChange,
  success: Folder,
  error: [...bodyErrors, noSuch("folder")]
})
  .annotateMerge(about("folders.update", "Rename a folder", "Changes the name of a folder.", "folder.updated"))
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/folders/:id", {
  params,
  success: noContent("The folder is deleted."),
  error: noSuch("folder")
})
  .annotateMerge(
    about(
      "folders.delete",
      "Delete a folder",
      "Deletes a folder and its automations, and cancels their pending deliveries. Its recordings are kept, in no folder.",
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
      "Lists the recordings in a folder, newest first. A member sees their own recordings, an admin all recordings."
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
        "Folders of recordings. All users can see them and move their own recordings into them; admins can change them."
    })
  ) {}
