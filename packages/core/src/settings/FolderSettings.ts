import { type Folder, FolderId, type Pagination, paginate } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../AuditLog.ts"
import type { Caller } from "../Caller.ts"
import type { Invalid } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { partOf, Store, sliceOf } from "../Store.ts"
import { name, object } from "./fields.ts"
import { readInput, type SettingsInput } from "./input.ts"

const FolderInput = object({ name: name("Label.") }, "A folder.")

/** The account's folders. Who may call which is decided by `authorize`. */
export class FolderSettings extends Context.Service<
  FolderSettings,
  {
    /** One page, in the order in which they were made. */
    readonly list: (
      caller: Caller,
      page: number
    ) => Effect.Effect<{ readonly pagination: Pagination; readonly folders: ReadonlyArray<Folder> }>
    readonly create: (caller: Caller, input: SettingsInput) => Effect.Effect<Folder, Invalid>
  }
>()("@tapedeck/core/FolderSettings") {
  static readonly layer = Layer.effect(
    FolderSettings,
    Effect.gen(function* () {
      const store = yield* Store
      const config = yield* ServiceConfig
      const audit = yield* AuditLog
      const ids = yield* Ids

      const list = Effect.fnUntraced(function* (caller: Caller, page: number) {
        const items = config.pageSize
        const part = partOf(yield* store.folders.list(caller.account.id), sliceOf({ page, items }))
        return { pagination: paginate({ count: part.count, page, items }), folders: part.items }
      })

      const create = Effect.fnUntraced(
        function* (caller: Caller, input: SettingsInput) {
          const { name } = yield* readInput(FolderInput, input)
          const folder: Folder = {
            id: FolderId.make(yield* Ids.uuid("folder")),
            accountId: caller.account.id,
            name,
            createdAt: yield* now
          }
          yield* store.folders.save(folder)
          yield* audit.record({
            accountId: caller.account.id,
            eventType: "folder.created",
            status: "success",
            user: caller.user,
            target: { type: "folder", id: folder.id },
            changes: { name: { from: null, to: name } }
          })
          return folder
        },
        Effect.provideService(Ids, ids)
      )

      return FolderSettings.of({ list, create: (caller, input) => store.transaction(create(caller, input)) })
    })
  )
}
