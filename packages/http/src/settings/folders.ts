import { settings } from "@tapedeck/contract"
import { FolderSettings } from "@tapedeck/core"
import { type Folder, toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"

const wireFolder = (folder: Folder): settings.Folder => ({
  id: folder.id,
  name: folder.name,
  created_at: toIso(folder.createdAt)
})

/** Services are taken at each request, never before: they are its world's. */
export const folders = HttpApiBuilder.group(settings.Api, "folders", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* FolderSettings
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        return { pagination: wirePagination(page.pagination), folders: page.items.map(wireFolder) }
      })
    )
    .handleRaw(
      "create",
      Effect.fnUntraced(function* ({ request }) {
        const { create } = yield* FolderSettings
        const input = yield* objectBody(request)
        return wireFolder(yield* Effect.mapError(create(yield* CurrentCaller, input), refused))
      })
    )
)
