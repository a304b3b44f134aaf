import type { RecordingUuid } from "@tapedeck/domain"
import { type Capture, isCapturing } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { mediaJobsOf } from "../files/media/MediaWork.ts"
import { storeOf } from "../store/Store.ts"
import { claimCapture, postponeCapture } from "./claim.ts"
import { closeCapture, completeCapture, enterFolder } from "./finish.ts"

/**
 * Begins what is due of a capture, unless it has changed since it was listed: another process may have it. Returns the claim of a
 * capture that is to be completed. Inside the transaction.
 */
const beginDue = Effect.fnUntraced(function* ({ dueAt, id }: Capture) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.byId(id)
  if (capture === undefined || capture.dueAt === null || capture.dueAt !== dueAt) return undefined
  if (!isCapturing(capture)) {
    yield* enterFolder(capture)
    return undefined
  }
  if (capture.state === "open") yield* closeCapture(capture, "abandoning")
  return yield* claimCapture(id)
})

const doDue = Effect.fnUntraced(function* (capture: Capture) {
  const store = yield* storeOf("transaction")
  const claim = yield* store.transaction(beginDue(capture))
  if (claim !== undefined) yield* completeCapture(claim)
})

/** Does what is due of a capture. One that fails is due again later, so that it delays no other. */
export const runDueCapture = (capture: Capture) =>
  Effect.catchCause(
    doDue(capture),
    Effect.fnUntraced(function* (cause) {
      const store = yield* storeOf("transaction")
      const fields = { capture_id: capture.id, recording_uuid: capture.recordingUuid }
      yield* Effect.logError("work on a capture failed; retrying", fields, cause)
      yield* store.transaction(postponeCapture(capture))
    })
  )

/** Enters the folder of a completed capture when no work on its video is left. Inside the transaction. */
export const enterFolderAfterMedia = Effect.fnUntraced(function* (uuid: RecordingUuid) {
  const store = yield* storeOf("captures", "jobs")
  const capture = yield* store.captures.ofRecording(uuid)
  const isWaiting = capture?.dueAt != null && !isCapturing(capture)
  if (!isWaiting || (yield* mediaJobsOf(store, uuid)).length > 0) return
  yield* enterFolder(capture)
})
