import {
  type AddedToFolder,
  type Automation,
  type DeliveryId,
  FOLDER_EVENT,
  type FolderId,
  parseRecordingUuid,
  type Recording,
  receiverOfAutomation,
  type TemplateVariable
} from "@tapedeck/domain"
import { type Template, variablesOf } from "@tapedeck/domain/template"
import { Context, Effect, Layer } from "effect"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { NotFound } from "../errors.ts"
import { now } from "../now.ts"
import { recordingLinks } from "../recordings/links.ts"
import { mediaAccessOf } from "../recordings/sharing/mediaAccess.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { eventPartsReader, payloadTemplateOf, renderBody } from "./folderPayload.ts"

interface Firing {
  readonly automation: Automation
  readonly payload: Template<TemplateVariable>
}

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
      const config = yield* ServiceConfig
      const vault = yield* Vault
      const readParts = yield* eventPartsReader

      const fire = ({ automation, payload }: Firing, event: AddedToFolder & { readonly recording: Recording }) =>
        deliveries.enqueue({
          accountId: automation.accountId,
          automationId: automation.id,
          recordingUuid: event.recording.uuid,
          event: FOLDER_EVENT,
          body: renderBody(payload, event),
          schedule: receiverOfAutomation(automation).schedule
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
        const firings = automations.map(
          (automation): Firing => ({
            automation,
            payload: payloadTemplateOf(automation.payloadTemplate)
          })
        )
        const at = yield* now
        const event = {
          recording: moved,
          ...(yield* readParts(moved, new Set(firings.flatMap(({ payload }) => [...variablesOf(payload)])))),
          folder,
          account,
          links: recordingLinks(config.publicUrl, moved.uuid, mediaAccessOf(vault, moved, at, config.signedMs)),
          vendor: config.vendor,
          at
        }
        return { moved: true, deliveries: yield* Effect.forEach(firings, (one) => fire(one, event)) }
      })

      return Folders.of({ addRecording: (folderId, uuid) => store.transaction(addRecording(folderId, uuid)) })
    })
  )
}
