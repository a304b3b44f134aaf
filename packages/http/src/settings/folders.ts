import { settings } from "@tapedeck/contract"
import { FolderSettings } from "@tapedeck/core"
import { type Folder, toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { listedRecordings } from "./wire/recording.ts"

const wireFolder = (folder: Folder): settings.Folder => ({
  id: folder.id,
  name: folder.name,
  created_at: toIso(folder.createdAt)
})

/** Services are taken at each request, never before: they are its world's. */
export const folders = settingsEndpointsOf(settings.Api.groups.folders, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* FolderSettings
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), folders: page.items.map(wireFolder) }
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { create } = yield* FolderSettings
      return wireFolder(yield* create(caller, yield* input))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* FolderSettings
      return wireFolder(yield* get(caller, params.id))
    })
  },
  rename: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { rename } = yield* FolderSettings
      return wireFolder(yield* rename(caller, params.id, yield* input))
    })
  },
  delete: {
    answer: ({ caller, params }) => FolderSettings.use(({ remove }) => remove(caller, params.id))
  },
  recordings: {
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const { recordings } = yield* FolderSettings
      const page = yield* recordings(caller, params.id, query.page ?? 1)
      const records = page.items.map(yield* listedRecordings(caller, page.items))
      return { pagination: wirePagination(page.pagination), records }
    })
  }
})
