import { type AuditEntry, type Automation, type Recording, toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"
import { before, findEntries } from "./auditSearch.ts"
import { type Explanation, explanation } from "./explanation.ts"
import { receiverAt } from "./receiverAt.ts"

/**
 * Explains why an automation has sent nothing about a recording. The time of adding it, and the automation's settings then,
 * are read from the audit log, which has no entries for start documents and the emulator's control plane.
 */
export const whyNoFolderEvent = Effect.fnUntraced(function* (
  store: Pick<Store, "auditEntries">,
  automation: Automation,
  recording: Recording
) {
  const { accountId, folderId } = automation
  const moves = yield* findEntries(store, {
    accountId,
    eventTypes: ["recording.added_to_folder", "recording.removed_from_folder"],
    targetId: recording.uuid,
    since: recording.createdAt
  })
  const entered = moves.entries.find(({ metadata }) => metadata.changes.folder_id?.to === folderId)
  const isIn = recording.folderId === folderId
  // If its last move led to another folder, it returned by an operation without an audit entry.
  const isTold = entered !== undefined && (!isIn || moves.entries[0] === entered)
  if (isTold) return yield* whyNotFired(store, automation, entered)
  return isIn ? unpublished(automation, moves.whole) : elsewhere(automation, recording, moves.whole)
})

const unpublished = ({ createdAt, enabled }: Automation, whole: boolean): Explanation => {
  const why = whole
    ? "it was put in place with a start document or by a control plane, or the entry is not kept any more"
    : "there are too many moves to look through"
  return explanation(
    "not_known",
    `The recording is in the folder, and the audit log does not tell since when: ${why}. What is in a folder already fires ` +
      `nothing. The automation was made at ${toIso(createdAt)}, and is turned ${enabled ? "on" : "off"} now.`
  )
}

const elsewhere = ({ enabled, folderId }: Automation, recording: Recording, whole: boolean): Explanation => {
  const place = recording.folderId === null ? "in no folder" : `in the folder ${recording.folderId}`
  const isOff = enabled ? "" : " It is turned off, too."
  const scope = whole ? "as far as the audit log tells" : "as far as the latest moves in the audit log tell"
  return explanation(
    "not_in_folder",
    `The recording is ${place}, and was never added to the folder ${folderId} of this automation, ${scope}.${isOff}`
  )
}

/** The reason why it did not fire when a recording was added to the folder. */
const whyNotFired = Effect.fnUntraced(function* (
  store: Pick<Store, "auditEntries">,
  automation: Automation,
  entered: AuditEntry
) {
  const { createdAt, folderId } = automation
  const came = `The recording was added to the folder at ${toIso(entered.at)}`
  const state = yield* receiverAt(store, "automation", automation, entered)
  switch (state._tag) {
    case "NotThereYet": {
      const text = `${came}, and the automation was made later, at ${toIso(createdAt)}. What is in a folder already fires nothing.`
      return explanation("was_there_already", text, state.made ?? entered)
    }
    case "NotKnown":
      return explanation(
        "not_known",
        `${came}, and the automation was changed too often since to say what it was like.`
      )
    case "TurnedOff": {
      const since = state.by === null ? "" : `, since ${toIso(state.by.at)}`
      return explanation("was_turned_off", `${came}, while the automation was turned off${since}.`, state.by ?? entered)
    }
    case "TurnedOn": {
      const itsFolder = before(state.changes, "folder_id", folderId)
      if (itsFolder === folderId) {
        const text = `${came}, while the automation was turned on. Its delivery is not kept any more.`
        return explanation("not_kept", text, entered)
      }
      const moved = state.changes.find(({ metadata }) => metadata.changes.folder_id?.to === folderId)
      const text = `${came}. The automation belonged to the folder ${itsFolder} then, and what is in a folder already fires nothing.`
      return explanation("was_of_another_folder", text, moved ?? entered)
    }
  }
})
