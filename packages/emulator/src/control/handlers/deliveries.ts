import { Folders } from "@tapedeck/core"
import { AutomationId, DestinationId, FolderId, parseRecordingUuid } from "@tapedeck/domain"
import { Context, Effect } from "effect"
import { ControlApi } from "../Api.ts"
import { FolderAddition } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { bodyOf, json, refused } from "../requests.ts"
import { deliveryStates } from "../schemas.ts"
import { deliveryView } from "../views.ts"

export const folders = controlEndpoints(ControlApi.groups.folders, {
  addRecording: Effect.fnUntraced(function* ({ params, world }) {
    const { recording } = yield* bodyOf(FolderAddition)
    const folders = Context.get(world.services, Folders)
    const added = yield* world
      .run(folders.addRecording(FolderId.make(params.folder), recording))
      .pipe(Effect.mapError((error) => refused(404, error.message)))
    return json({ deliveries: added.deliveries }, added.moved ? 201 : 200)
  })
})

export const deliveries = controlEndpoints(ControlApi.groups.deliveries, {
  list: Effect.fnUntraced(function* ({ query, world }) {
    const { automation, destination, recording, state } = query
    const uuid = recording === undefined ? undefined : parseRecordingUuid(recording)
    if (recording !== undefined && uuid === undefined) return json({ deliveries: [] })
    const found = yield* world.memory.store.deliveries.list({
      ...(state !== undefined && { state: deliveryStates[state] }),
      ...(automation !== undefined && { automationId: AutomationId.make(automation) }),
      ...(destination !== undefined && { destinationId: DestinationId.make(destination) }),
      ...(uuid !== undefined && { recordingUuid: uuid })
    })
    return json({ deliveries: found.map(deliveryView) })
  })
})
