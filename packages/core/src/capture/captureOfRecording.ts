import type { Recording, RecordingUuid } from "@tapedeck/domain"
import type { AuditEventType } from "@tapedeck/domain/audit"
import { type Capture, isCapturing } from "@tapedeck/domain/capture"
import { filesOf } from "@tapedeck/domain/internal/files"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { StateConflict } from "../errors.ts"
import { cancelMediaJobs } from "../files/media/MediaWork.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"

/**
 * Refuses to replace the video or the log of a recording that is being captured: the capture's end writes them. Inside the transaction
 * of the write.
 */
export const refuseCapturing = Effect.fnUntraced(function* ({ uuid }: Recording, replaced: "video" | "log") {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.ofRecording(uuid)
  if (capture === undefined || !isCapturing(capture)) return
  return yield* new StateConflict({
    reason: `The recording is being captured: its ${replaced} can be replaced when the capture has ended`
  })
})

/** Keeps a recording that a user took out of a folder from entering that of its capture. Inside the transaction. */
export const stayOutOfFolder = Effect.fnUntraced(function* (uuid: RecordingUuid) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.ofRecording(uuid)
  if (capture !== undefined && capture.folderId !== null) yield* captures.save({ ...capture, folderId: null })
})

/** A use of the link that was none. */
const giveBackUse = Effect.fnUntraced(function* ({ linkId }: Capture) {
  const { captureLinks } = yield* storeOf("captureLinks")
  const link = linkId === null ? undefined : yield* captureLinks.byId(linkId)
  if (link !== undefined) yield* captureLinks.save({ ...link, uses: Math.max(0, link.uses - 1) })
})

/** Removes a capture; returns the files of its pieces. One that has not ended was no use of its link. */
const removeCapture = Effect.fnUntraced(function* (capture: Capture) {
  const { captures, jobs } = yield* storeOf("captures", "jobs")
  const pieces = yield* captures.pieces(capture.id, "video")
  yield* captures.remove(capture.id)
  yield* jobs.cancel([jobIds.capture(capture.id), jobIds.afterMedia(capture.recordingUuid)])
  if (isCapturing(capture)) yield* giveBackUse(capture)
  return pieces.map(({ fileId }) => fileId)
})

/** Ends the capture of a recording that is deleted; returns the files that go with it. Inside the transaction. */
export const removeCaptureOf = Effect.fnUntraced(function* (uuid: RecordingUuid) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.ofRecording(uuid)
  return capture === undefined ? [] : yield* removeCapture(capture)
})

/** Audit events of users' writes to an existing recording. */
const writes: ReadonlyArray<AuditEventType> = [
  "recording.updated",
  "recording.added_to_folder",
  "recording.removed_from_folder",
  "recording.sharing_changed",
  "recording.share_link_created",
  "recording.share_link_revoked",
  "transcript.requested",
  "transcript.updated"
]

/** Returns whether a user has written to the recording of a capture, or put a file there. */
const hasUserWritten = Effect.fnUntraced(function* ({ accountId, uuid, video }: Recording) {
  const { auditEntries } = yield* storeOf("auditEntries")
  if (filesOf(video).length > 0) return true
  const { count } = yield* auditEntries.page({ accountId, targetId: uuid, eventTypes: writes }, { offset: 0, limit: 0 })
  return count > 0
})

/**
 * Removes an unwanted capture with its recording, unless a user has written to the recording in the meantime; returns the files to
 * remove. Inside the transaction.
 */
export const dropCapture = Effect.fnUntraced(function* ({ id }: Capture) {
  const store = yield* storeOf("captures", "changes", "jobs", "recordings")
  const audit = yield* AuditLog
  // Another process may have removed it: a use is returned to the link only once.
  const capture = yield* store.captures.byId(id)
  if (capture === undefined) return []
  const pieces = yield* removeCapture(capture)
  const recording = yield* store.recordings.byUuid(capture.recordingUuid)
  if (recording === undefined || (yield* hasUserWritten(recording))) return pieces
  yield* store.recordings.remove(recording.uuid)
  yield* store.changes.publishOnCommit(recordingChange(recording, true))
  yield* cancelMediaJobs(store, recording.uuid)
  yield* audit.record({
    accountId: recording.accountId,
    eventType: "recording.deleted",
    status: "success",
    user: null,
    target: { type: "recording", id: recording.uuid },
    changes: { title: { from: recording.title, to: null } }
  })
  return pieces
})
