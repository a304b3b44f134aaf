import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { dateTime, text } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created } from "./fields.ts"
import { AdminAccess, MemberAccess } from "./middleware.ts"

export const Folder = Schema.Struct({
  id: text("Identifies the folder.", "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  name: text("Label.", "VIP customers"),
  created_at: dateTime("When it was made.")
}).annotate({ identifier: "Folder", description: "A folder of recordings. What is added to it fires its automations." })
export type Folder = typeof Folder.Type

export const FolderPage = Schema.Struct({
  pagination: Pagination,
  folders: Schema.Array(Folder).annotate({
    description: "The folders of this page, in the order in which they were made."
  })
}).annotate({ identifier: "FolderPage", description: "A page of folders." })

export const FolderInput = Schema.Struct({
  name: Schema.String.annotate({ description: "Label: not blank.", examples: ["VIP customers"], maxLength: 255 })
}).annotate({ identifier: "FolderInput", description: "A folder to make, or its new name." })

export const listFolders = HttpApiEndpoint.get("list", "/folders", { query: PageQuery, success: FolderPage })
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listFolders",
      summary: "List folders",
      description: "All folders of the account, in the order in which they were made, a page at a time."
    })
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

export const createFolder = HttpApiEndpoint.post("create", "/folders", {
  payload: FolderInput,
  success: created(Folder, "The folder that was made."),
  error: bodyErrors
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "createFolder",
      summary: "Make a folder",
      description: "Makes a folder; for admins only."
    })
  )
  .middleware(AdminAccess)

export class Folders extends HttpApiGroup.make("folders")
  .add(listFolders, createFolder)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Folders", description: "Folders of recordings." })) {}
