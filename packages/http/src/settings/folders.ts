import { settings } from "@tapedeck/contract"
import { FolderSettings, ServiceConfig } from "@tapedeck/core"
import { type Folder, toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { wireManagedRecording } from "./wire/recording.ts"

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
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* FolderSettings
        return wireFolder(yield* Effect.mapError(get(yield* CurrentCaller, params.id), refused))
      })
    )
    .handleRaw(
      "rename",
      Effect.fnUntraced(function* ({ params, request }) {
        const { rename } = yield* FolderSettings
        const input = yield* objectBody(request)
        return wireFolder(yield* Effect.mapError(rename(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "delete",
      Effect.fnUntraced(function* ({ params }) {
        const { remove } = yield* FolderSettings
        return yield* Effect.mapError(remove(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "recordings",
      Effect.fnUntraced(function* ({ params, query }) {
        const { recordings } = yield* FolderSettings
        const config = yield* ServiceConfig
        const found = recordings(yield* CurrentCaller, params.id, query.page ?? 1)
        const page = yield* Effect.mapError(found, refused)
        const records = page.items.map((owned) => wireManagedRecording(owned, config))
        return { pagination: wirePagination(page.pagination), records }
      })
    )
)
