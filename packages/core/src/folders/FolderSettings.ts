import { type Folder, FolderId } from "@tapedeck/domain"
import type { DecodedInput, FolderChange, FolderInput } from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange, plainField } from "../audit/audited.ts"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { type InputInvalid, NotFound, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { automationFields, automationTarget } from "../receivers/automationFields.ts"
import type { ReportOff } from "../receivers/receiverSettings.ts"
import { type OwnedRecording, Recordings } from "../recordings/Recordings.ts"
import { receiverChange } from "../store/changes/changes.ts"
import { partOf, storeContext, storeOf } from "../store/Store.ts"
import { leaveRemovedFolder } from "./removedFolders.ts"

/** The account's folders. `authorize` decides which calls are permitted. */
export class FolderSettings extends Context.Service<
  FolderSettings,
  {
    /** Lists the folders in the order of creation. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<Folder>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Folder, NotFound>
    /** Lists the recordings in a folder that the caller can see, newest first. */
    readonly recordings: (caller: Caller, id: string, page: number) => Effect.Effect<Page<OwnedRecording>, NotFound>
    readonly create: (
      caller: Caller,
      input: DecodedInput<FolderInput>
    ) => Effect.Effect<Folder, InputInvalid | Unauthenticated>
    readonly rename: (
      caller: Caller,
      id: string,
      input: DecodedInput<FolderChange>
    ) => Effect.Effect<Folder, NotFound | InputInvalid | Unauthenticated>
    /**
     * Deletes the folder with its automations. After the commit, their pending deliveries are cancelled (W11) and the recordings leave
     * the folder, both in batches; the job `retention` continues after a crash.
     */
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/FolderSettings") {
  static readonly layer = Layer.effect(
    FolderSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("automations", "changes", "folders", "recordings")
      const write = yield* writer
      const recordings = yield* Recordings
      const deliveries = yield* Deliveries
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager

      const get = Effect.fn("FolderSettings.get")(function* (caller: Caller, id: string) {
        const folder = yield* store.folders.byId(FolderId.make(id))
        if (folder === undefined || folder.accountId !== caller.account.id) {
          return yield* new NotFound({ what: "Folder" })
        }
        return folder
      })

      const recordingsIn = Effect.fnUntraced(function* (caller: Caller, id: string, page: number) {
        const folder = yield* get(caller, id)
        const found = yield* recordings.list(caller, { page, folderId: folder.id })
        return { pagination: found.pagination, items: found.recordings }
      })

      const create = Effect.fn("FolderSettings.create")(
        function* (caller: Caller, input: DecodedInput<FolderInput>) {
          const { name } = yield* valueOf(input)
          const folder: Folder = {
            id: FolderId.make(yield* Ids.uuid("folder")),
            accountId: caller.account.id,
            name,
            createdAt: yield* now
          }
          yield* store.folders.save(folder)
          yield* audit(caller, "folder.created", target(folder), changesBetween(null, audited(folder)))
          return folder
        },
        Effect.provideService(Ids, ids)
      )

      const rename = Effect.fn("FolderSettings.rename")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<FolderChange>
      ) {
        const before = yield* get(caller, id)
        const after = { ...before, ...(yield* valueOf(input)) }
        const changes = changesBetween(audited(before), audited(after))
        if (!isChange(changes)) return before
        yield* store.folders.save(after)
        yield* audit(caller, "folder.updated", target(after), changes)
        return after
      })

      const remove = Effect.fn("FolderSettings.remove")(function* (caller: Caller, id: string, off: ReportOff) {
        const folder = yield* get(caller, id)
        // The recordings are only counted here: they leave the folder after the commit, because their number has no limit.
        const { count } = yield* store.recordings.page(
          { accountId: folder.accountId, folderId: folder.id },
          { offset: 0, limit: 0 }
        )
        for (const automation of yield* store.automations.ofFolder(folder.id)) {
          yield* store.automations.remove(automation.id)
          yield* store.changes.publishOnCommit(receiverChange(automation, { automationId: automation.id }))
          off({ automationId: automation.id })
          const gone = changesBetween(automationFields(automation), null)
          yield* audit(caller, "automation.deleted", automationTarget(automation), gone)
        }
        yield* store.folders.remove(folder.id)
        // One entry with the number of recordings, because that number has no limit.
        const gone = { ...changesBetween(audited(folder), null), recordings: { from: count, to: null } }
        yield* audit(caller, "folder.deleted", target(folder), gone)
        return folder
      })

      const leave = (folder: Folder) => Effect.provide(leaveRemovedFolder(folder), storeContext(store))

      return FolderSettings.of({
        list: (caller, number) =>
          page(number, (slice) => Effect.map(store.folders.list(caller.account.id), (all) => partOf(all, slice))),
        get,
        recordings: recordingsIn,
        create: (caller, input) => write(caller, create(caller, input)),
        rename: (caller, id, input) => write(caller, rename(caller, id, input)),
        remove: (caller, id) =>
          deliveries
            .cancelling(caller, (off) => remove(caller, id, off))
            .pipe(Effect.flatMap(leave), Effect.uninterruptible)
      })
    })
  )
}

const target = (folder: Folder) => ({ type: "folder", id: folder.id })

const audited = (folder: Folder) => ({ name: plainField(folder.name) })
