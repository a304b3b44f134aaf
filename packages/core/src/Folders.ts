import {
  type Account,
  type Automation,
  type DeliveryId,
  defaultPayload,
  FOLDER_EVENT,
  type Folder,
  type FolderId,
  renderPayload,
  parseRecordingUuid,
  type Recording
} from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { Deliveries } from "./Deliveries.ts"
import { NotFound } from "./errors.ts"
import { recordingLinks } from "./links.ts"
import { now } from "./now.ts"
import { ServiceConfig } from "./ServiceConfig.ts"
import { Store } from "./Store.ts"

/** Folders, and the automations that fire when a recording enters one (Events, folder automation webhook). */
export class Folders extends Context.Service<Folders, {
  /**
   * Puts a recording into a folder, and so out of the one where it was (W13). Gives the deliveries of the folder's
   * automations; `moved` is false, and nothing fires, when it was there already.
   */
  readonly addRecording: (folderId: FolderId, uuid: string) => Effect.Effect<{
    readonly moved: boolean
    readonly deliveries: ReadonlyArray<DeliveryId>
  }, NotFound>
}>()("@tapedeck/core/Folders") {
  static readonly layer = Layer.effect(
    Folders,
    Effect.gen(function*() {
      const store = yield* Store
      const deliveries = yield* Deliveries
      const config = yield* ServiceConfig

      const fire = Effect.fnUntraced(function*(
        automations: ReadonlyArray<Automation>,
        event: { readonly recording: Recording; readonly folder: Folder; readonly account: Account }
      ) {
        const values = defaultPayload({
          ...event,
          links: recordingLinks(config.publicUrl, event.recording.uuid),
          at: yield* now
        })
        return yield* Effect.forEach(automations, (automation) =>
          deliveries.enqueue({
            accountId: event.account.id,
            kind: "automation",
            automationId: automation.id,
            recordingUuid: event.recording.uuid,
            event: FOLDER_EVENT,
            body: renderPayload(automation.payloadTemplate, values)
          }))
      })

      const addRecording = Effect.fnUntraced(function*(folderId: FolderId, uuidText: string) {
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
        const automations = (yield* store.automations.ofFolder(folder.id)).filter((one) => one.enabled)
        return { moved: true, deliveries: yield* fire(automations, { recording: moved, folder, account }) }
      })

      return Folders.of({ addRecording: (folderId, uuid) => store.transaction(addRecording(folderId, uuid)) })
    })
  )
}
