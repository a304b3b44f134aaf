import type { Folder } from "@tapedeck/domain"
import { Effect } from "effect"
import { folderChange } from "../store/changes/changes.ts"
import { type LeftRecordings, type RecordingPlace, storeOf } from "../store/Store.ts"

/** Number of recordings that leave a removed folder in one transaction, so that others run between transactions of some milliseconds. */
const leaveBatch = 200

/**
 * All recordings leave a folder, in batches, each in a transaction of its own unless the caller is in one. After the folder's removal
 * is committed: no recording enters it any more.
 */
export const leaveRemovedFolder = Effect.fn("leaveRemovedFolder")(function* (folder: Pick<Folder, "accountId" | "id">) {
  const { changes, recordings } = yield* storeOf("changes", "recordings")
  let after: RecordingPlace | null = null
  do {
    const batch: LeftRecordings = yield* recordings.leaveFolder(folder, { after, limit: leaveBatch })
    if (batch.left > 0) yield* changes.publishOnCommit(folderChange(folder))
    after = batch.after
    yield* Effect.yieldNow
  } while (after !== null)
})

/** Continues what a crash interrupted: recordings leave the folders that were removed. A folder that fails delays no other. */
export const leaveRemovedFolders = Effect.gen(function* () {
  const { recordings } = yield* storeOf("recordings")
  for (const folder of yield* recordings.removedFolders) {
    yield* Effect.catchCause(leaveRemovedFolder(folder), (cause) =>
      Effect.logError("emptying a removed folder failed; retrying later", { folder_id: folder.id }, cause)
    )
  }
})
