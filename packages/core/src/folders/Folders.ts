import { type DeliveryId, FOLDER_EVENT, type FolderId, parseRecordingUuid } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { NotFound } from "../errors.ts"
import { now } from "../now.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { type FolderEvent, folderEventReader } from "./folderEvent.ts"
import { type Firing, firingOf, renderDelivery, variablesOfFiring } from "./folderPayload.ts"

/** Folders, and the automations that fire when a recording enters one (Events, folder automation webhook). */
export class Folders extends Context.Service<
  Folders,
  {
    /**
     * Puts a recording into a folder, and so out of the one where it was (W13). Gives the deliveries of the folder's
     * automations; `moved` is false, and nothing fires, when it was there already.
     */
    readonly addRecording: (
      folderId: FolderId,
      uuid: string
    ) => Effect.Effect<
      {
        readonly moved: boolean
        readonly deliveries: ReadonlyArray<DeliveryId>
      },
      NotFound
    >
  }
>()("@tapedeck/core/Folders") {
  static readonly layer = Layer.effect(
    Folders,
    Effect.gen(function* () {
      const store = yield* storeOf("accounts", "automations", "changes", "folders", "recordings", "transaction")
      const deliveries = yield* Deliveries
      const readEvent = yield* folderEventReader

      const fire = (firing: Firing, event: FolderEvent) =>
        deliveries.enqueue({
          accountId: firing.automation.accountId,
          automationId: firing.automation.id,
          recordingUuid: event.recording.uuid,
          event: FOLDER_EVENT,
          ...renderDelivery(firing, event)
        })

      const addRecording = Effect.fn("Folders.addRecording")(function* (folderId: FolderId, uuidText: string) {
        const folder = yield* store.folders.byId(folderId)
        if (folder === undefined) return yield* new NotFound({ what: "Folder" })
        const uuid = parseRecordingUuid(uuidText)
        const recording = uuid === undefined ? undefined : yield* store.recordings.byUuid(uuid)
        const account = yield* store.accounts.byId(folder.accountId)
        if (recording === undefined || account === undefined || recording.accountId !== folder.accountId) {
          return yield* new NotFound({ what: "Recording" })
        }
        if (recording.folderId === folder.id) return { moved: false, deliveries: [] }
        const moved = { ...recording, folderId: folder.id }
        yield* store.recordings.save(moved)
        yield* store.changes.publishOnCommit(recordingChange(moved))
        const automations = (yield* store.automations.ofFolder(folder.id)).filter((one) => one.enabled)
        if (automations.length === 0) return { moved: true, deliveries: [] }
        const firings = automations.map((automation) => firingOf(automation, moved))
        const variables = new Set(firings.flatMap((firing) => [...variablesOfFiring(firing)]))
        const event = yield* readEvent({ recording: moved, folder, account, at: yield* now }, variables)
        return { moved: true, deliveries: yield* Effect.forEach(firings, (firing) => fire(firing, event)) }
      })

      return Folders.of({ addRecording: (folderId, uuid) => store.transaction(addRecording(folderId, uuid)) })
    })
  )
}
