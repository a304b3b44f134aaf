import { FolderId, type Recording } from "@tapedeck/domain"
import type { AuditChanges, AuditEventType } from "@tapedeck/domain/audit"
import { type Capture, type CaptureEvent, decideCapture, type LogSummary } from "@tapedeck/domain/capture"
import type { DecodedInput, FinishInput } from "@tapedeck/domain/input"
import { type VideoWork, withWork } from "@tapedeck/domain/internal/files"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Effect, Result } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { changesBetween, isChange, plainField } from "../audit/audited.ts"
import { mediaJobsOf, startMediaWork } from "../files/media/MediaWork.ts"
import { removePieceFiles } from "../files/pieces.ts"
import { Folders } from "../folders/Folders.ts"
import { valueOf } from "../input/decodeInput.ts"
import { helpdeskEntryOf, withTicketOf } from "../input/helpdesk.ts"
import { makeNotices } from "../mail/Notices.ts"
import { now } from "../now.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { checkFinish } from "./captureInput.ts"
import { type CaptureClaim, ClaimLost, leaseRenewal, retryCapture, scheduleCapture } from "./captureJob.ts"
import { dropCapture } from "./captureOfRecording.ts"
import { CaptureRefused } from "./errors.ts"
import { joinLog } from "./joinLog.ts"
import { discardFiles, type JoinedUploads, joinUploads } from "./joinUploads.ts"
import { captureIdleMs, captureSlackMs, videoSlackSeconds } from "./limits.ts"
import { type PackedLog, withWholeLog } from "./storedLog.ts"

/** Closes an open capture to further data, so that it is completed next. Returns the closed capture. Inside the transaction. */
export const closeCapture = Effect.fnUntraced(function* (before: Capture, event: CaptureEvent) {
  const store = yield* storeOf("captures")
  const state = decideCapture(before.state, event)
  if (Result.isFailure(state)) return before
  const capture: Capture = { ...before, state: state.success }
  yield* store.captures.save(capture)
  yield* store.captures.removeTokens(capture.id, ["log", "code", "begin"])
  return capture
})

/** The fields of the recording that the end of a capture may change, in the form of the audit log. */
const audited = ({ customerEmail, description, helpdesk, title }: Recording, vendor: string) => ({
  title: plainField(title),
  description: plainField(description),
  helpdesk: plainField({ ...helpdeskEntryOf(helpdesk, vendor) }),
  customer_email: plainField(customerEmail)
})

/**
 * Ends an open capture, with what is said of its recording at the end. Nothing that a user wrote is replaced: only the title that
 * the capture began with. An agent may also name ticket and folder. Belongs inside a transaction.
 */
export const closeAsFinished = Effect.fnUntraced(function* (captureId: string, input: DecodedInput<FinishInput>) {
  const store = yield* storeOf("captures", "changes", "recordings")
  const audit = yield* AuditLog
  const { vendor } = yield* ServiceConfig
  const capture = yield* store.captures.byId(captureId)
  if (capture === undefined) return yield* new CaptureRefused()
  // A repeat does not fail because its folder was deleted since.
  if (capture.state !== "open") return
  const given = yield* valueOf(input, checkFinish(capture, vendor))
  const before = yield* store.recordings.byUuid(capture.recordingUuid)
  if (before !== undefined) {
    const after: Recording = {
      ...before,
      title: before.title === capture.title ? (given.title ?? before.title) : before.title,
      customerEmail: before.customerEmail ?? given.customer?.email ?? null,
      helpdesk: withTicketOf(before.helpdesk, given.helpdesk, vendor),
      description: before.description ?? given.note ?? null
    }
    const changes = changesBetween(audited(before, vendor), audited(after, vendor))
    if (isChange(changes)) {
      yield* store.recordings.save(after)
      yield* store.changes.publishOnCommit(recordingChange(after))
      yield* audit.record(bySystem(after, "recording.updated", changes))
    }
  }
  const folderId = capture.folderId ?? (given.folder_id ? FolderId.make(given.folder_id) : null)
  yield* scheduleCapture(yield* closeCapture({ ...capture, folderId }, "FinishRequested"), 0)
})

/** An audit entry of the recording without a user. */
const bySystem = (
  { accountId, uuid }: Recording,
  eventType: AuditEventType,
  changes: AuditChanges,
  status: "success" | "failure" = "success"
) => ({ accountId, eventType, status, user: null, target: { type: "recording", id: uuid }, changes })

/** Returns the recording with the captured values; fields that are set keep their value. */
export const withLog = (recording: Recording, redactions: Capture["redactions"], follows: LogSummary): Recording => {
  const { technicalDetails } = recording
  return {
    ...recording,
    consoleLogs: recording.consoleLogs ?? follows.consoleLogs,
    browser: recording.browser ?? follows.browser,
    os: recording.os ?? follows.os,
    technicalDetails: { ...technicalDetails, timezone: technicalDetails.timezone ?? follows.timezone },
    redactions
  }
}

/** Writes the log and what follows from it for the recording's parts. Inside the transaction. */
export const saveLog = Effect.fnUntraced(function* (recording: Recording, { log, summary }: PackedLog) {
  const { recordingParts } = yield* storeOf("recordingParts")
  const given = yield* recordingParts.read(recording.id, "consoleErrors", "networkErrors")
  const or = <Item>(items: ReadonlyArray<Item>) => (items.length === 0 ? null : items)
  yield* recordingParts.save(recording.id, {
    log,
    consoleErrors: given.consoleErrors ?? or(summary.consoleErrors),
    networkErrors: given.networkErrors ?? or(summary.networkErrors.map((one) => ({ ...one })))
  })
})

/** Moves the recording into the capture's folder, whose automations fire. Inside the transaction. */
export const enterFolder = Effect.fnUntraced(function* (capture: Capture) {
  const store = yield* storeOf("recordings")
  const folders = yield* Folders
  const audit = yield* AuditLog
  if (capture.folderId === null) return
  const before = yield* store.recordings.byUuid(capture.recordingUuid)
  // A recording that was moved in the meantime stays where it is. A deleted folder is ignored.
  if (before === undefined || before.folderId !== null) return
  const entered = yield* Effect.option(folders.addRecording(capture.folderId, before.uuid))
  if (entered._tag === "None") return
  const changes = { folder_id: { from: null, to: capture.folderId } }
  yield* audit.record(bySystem(before, "recording.added_to_folder", changes))
})

/** The recording with the joined runs. A file that is there stays: users put none there while it is captured. */
const withRuns = (recording: Recording, { files }: JoinedUploads): Recording => {
  const [original = null, ...parts] = [recording.video.original, ...files].filter((file) => file !== null)
  return { ...recording, video: { ...recording.video, original, ...(parts.length > 0 && { parts }) } }
}

/** Number of failed tries from which a piece that cannot be read counts as lost. A missing piece counts as lost at once. */
const maxFailedTries = 4

const allLost: VideoWork = { state: "given_up", problem: "the bytes of its video are lost" }

/** Maximum length of a capture's video: that of its capture, which its token outlasts. */
const maxVideoSeconds = ({ beganAt, expiresAt }: Capture) =>
  Math.ceil(Math.max(0, expiresAt - beganAt - captureSlackMs) / 1_000) + videoSlackSeconds

/** Completes a capture and its recording. The recording enters its folder when the work on its video has ended. */
const settle = Effect.fnUntraced(function* (claim: CaptureClaim, joined: JoinedUploads, log: PackedLog | undefined) {
  const store = yield* storeOf("captures", "changes", "jobs", "recordings")
  const audit = yield* AuditLog
  const isHeld = yield* store.jobs.finish(claim)
  const capture = yield* store.captures.byId(claim.job.captureId)
  const recording = yield* store.recordings.byUuid(claim.job.recordingUuid)
  if (!isHeld || capture === undefined || recording === undefined) return yield* new ClaimLost()
  const filmed: Recording = { ...withRuns(recording, joined), updatedAt: yield* now }
  const complete = log === undefined ? filmed : withLog(filmed, capture.redactions, log.summary)
  const order = { siteId: capture.siteId, maxSeconds: maxVideoSeconds(capture) }
  const worked = yield* startMediaWork(recording, complete, (yield* ServiceConfig).mediaWork, order)
  const isLost = joined.lostBytes > 0 && worked.video.original === null
  yield* store.recordings.save(isLost ? withWork(worked, "process", allLost) : worked)
  yield* store.changes.publishOnCommit(recordingChange(worked))
  yield* (yield* makeNotices).recordingCreated(complete)
  if (log !== undefined) yield* saveLog(complete, log)
  if (joined.lostBytes > 0) {
    const changes = { lost_video_bytes: { from: null, to: joined.lostBytes } }
    yield* audit.record(bySystem(recording, "recording.updated", changes, "failure"))
  }
  yield* store.captures.removePieces(capture.id)
  const state = Result.getOrElse(decideCapture(capture.state, "Joined"), () => capture.state)
  const done: Capture = { ...capture, state, uploads: [], streams: [] }
  yield* store.captures.save(done)
  const isWorkedOn = (yield* mediaJobsOf(store, recording.uuid)).length > 0
  if (isWorkedOn && capture.folderId !== null) {
    yield* scheduleCapture(done, captureIdleMs, jobIds.afterMedia(recording.uuid))
  } else yield* enterFolder(done)
})

/** Joins the parts of a claimed capture, and writes them to the recording. */
const complete = Effect.fnUntraced(function* (capture: Capture, claim: CaptureClaim) {
  const store = yield* storeOf("captures", "recordings", "transaction")
  const pieces = yield* store.captures.pieces(capture.id, "video")
  const isEmpty = pieces.length === 0 && capture.use.events === 0
  const recording = yield* store.recordings.byUuid(capture.recordingUuid)
  if (recording === undefined || (isEmpty && capture.state === "abandoning")) {
    return yield* removePieceFiles(yield* store.transaction(dropCapture(capture)))
  }
  const isLastTry = claim.job.failedTries >= maxFailedTries
  const joined = yield* joinUploads(capture, pieces, { ...(yield* leaseRenewal(claim)), isLastTry })
  const settled = Effect.gen(function* () {
    const log = yield* withWholeLog(joinLog(capture))
    yield* store.transaction(settle(claim, joined, log))
  })
  yield* Effect.onError(settled, () => discardFiles(joined.files))
  yield* removePieceFiles(pieces.map(({ fileId }) => fileId))
})

/**
 * Completes a closed capture whose completion this process has claimed. One that fails, or whose process dies, is completed by a
 * later claim; one that lost its claim leaves nothing.
 */
export const completeCapture = (capture: Capture, claim: CaptureClaim) =>
  complete(capture, claim).pipe(
    Effect.catchTag("ClaimLost", () => Effect.succeed("lost" as const)),
    Effect.onError(() => Effect.ignoreCause(retryCapture(claim))),
    Effect.uninterruptible
  )
