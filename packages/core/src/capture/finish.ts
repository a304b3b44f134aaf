import { createHash } from "node:crypto"
import type { Instant, Recording, VideoFile } from "@tapedeck/domain"
import { type Capture, type CaptureLog, type CaptureUpload, logText, summaryOf } from "@tapedeck/domain/capture"
import { filesOf, videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal"
import { Effect, Stream } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { startMediaWork } from "../files/media/MediaWork.ts"
import { Folders } from "../folders/Folders.ts"
import { Ids } from "../Ids.ts"
import { readInput, type SettingsInput } from "../input/decodeInput.ts"
import { makeNotices } from "../mail/Notices.ts"
import { now } from "../now.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { joinedLog } from "./appendLog.ts"
import { FinishInput } from "./captureInput.ts"
import { CaptureRefused } from "./errors.ts"
import { captureIdleMs } from "./limits.ts"
import { packed } from "./storedLog.ts"

/** For how long a finish may take before another process takes it up. */
const finishLeaseMs = 60_000

/** No more comes. `as`: how it ends. Inside the transaction. */
export const closeCapture = Effect.fnUntraced(function* (capture: Capture, as: "finishing" | "abandoning") {
  const store = yield* storeOf("captures")
  const dueAt = ((yield* now) + finishLeaseMs) as Instant
  yield* store.captures.save({ ...capture, state: as, dueAt })
  yield* store.captures.removeTokens(capture.id, ["log", "code", "begin"])
})

/** Ends an open capture, with what is said of its recording at the end. Belongs inside a transaction. */
export const closeAsFinished = Effect.fnUntraced(function* (captureId: string, input: SettingsInput) {
  const store = yield* storeOf("captures", "recordings")
  const given = yield* readInput(FinishInput, input)
  const capture = yield* store.captures.byId(captureId)
  if (capture === undefined) return yield* new CaptureRefused()
  if (capture.state !== "open") return
  const before = yield* store.recordings.byUuid(capture.recordingUuid)
  if (before !== undefined) {
    yield* store.recordings.save({
      ...before,
      title: given.title ?? before.title,
      customerEmail: before.customerEmail ?? given.customer?.email ?? null,
      description: given.note ?? before.description
    })
  }
  yield* closeCapture(capture, "finishing")
})

/** A use of the link that was none. Inside the transaction. */
const giveBackUse = Effect.fnUntraced(function* ({ linkId }: Capture) {
  const { captureLinks } = yield* storeOf("captureLinks")
  const link = linkId === null ? undefined : yield* captureLinks.byId(linkId)
  if (link !== undefined) yield* captureLinks.save({ ...link, uses: Math.max(0, link.uses - 1) })
})

/** Removes a capture with its recording; gives the files that go with it. Inside the transaction. */
export const dropCapture = Effect.fnUntraced(function* (capture: Capture) {
  const store = yield* storeOf("captures", "mediaJobs", "recordings")
  const audit = yield* AuditLog
  // Another process may have removed it: the use is given back once.
  if ((yield* store.captures.byId(capture.id)) === undefined) return []
  const pieces = yield* store.captures.pieces(capture.id, "video")
  const recording = yield* store.recordings.byUuid(capture.recordingUuid)
  yield* store.captures.remove(capture.id)
  yield* giveBackUse(capture)
  if (recording === undefined) return pieces.map(({ fileId }) => fileId)
  yield* store.recordings.remove(recording.uuid)
  yield* store.mediaJobs.remove(recording.uuid)
  yield* audit.record({
    accountId: recording.accountId,
    eventType: "recording.deleted",
    status: "success",
    user: null,
    target: { type: "recording", id: recording.uuid },
    changes: { title: { from: recording.title, to: null } }
  })
  return [...pieces.map(({ fileId }) => fileId), ...filesOf(recording.video).map(({ fileId }) => fileId)]
})

/** After the commit that lets go of them. */
export const removeFiles = (fileIds: ReadonlyArray<string>) =>
  Effect.flatMap(storeOf("files"), ({ files }) => Effect.forEach(fileIds, (id) => files.remove(id), { discard: true }))

/** The uploads that have bytes, in the order in which they follow each other. */
const runsOf = ({ uploads }: Capture): ReadonlyArray<CaptureUpload> =>
  uploads.filter(({ offset }) => offset > 0).toSorted((a, b) => a.part - b.part)

interface Stretch {
  readonly fileId: string
  readonly sizeBytes: number
}

/** Joins the stretches of an upload to one file. */
const joined = Effect.fnUntraced(function* (upload: CaptureUpload, stretches: ReadonlyArray<Stretch>) {
  const { files } = yield* storeOf("files")
  const fileId = yield* Ids.uuid("file")
  const hash = createHash("sha256")
  let head = Buffer.alloc(0)
  const bytes = Stream.fromIterable(stretches).pipe(
    Stream.flatMap((stretch) =>
      Stream.unwrap(
        Effect.flatMap(files.read(stretch.fileId, 0, stretch.sizeBytes), (found) =>
          found === undefined ? Effect.die(new Error(`file ${stretch.fileId} is gone`)) : Effect.succeed(found)
        )
      )
    ),
    Stream.map((piece) => {
      hash.update(piece)
      if (head.length < videoHeadBytes) head = Buffer.concat([head, piece]).subarray(0, videoHeadBytes)
      return piece
    })
  )
  const sizeBytes = yield* files.write(fileId, bytes)
  const contentType = videoTypeOf(head) ?? upload.contentType
  const file: VideoFile = { fileId, contentType, sizeBytes, etag: hash.digest("hex").slice(0, 32) }
  return file
})

/** The recording with what was captured; given fields stay. */
export const withLog = (recording: Recording, redactions: Capture["redactions"], log: CaptureLog): Recording => {
  const follows = summaryOf(log)
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
export const saveLog = Effect.fnUntraced(function* (recording: Recording, log: CaptureLog) {
  const { recordingParts } = yield* storeOf("recordingParts")
  const given = yield* recordingParts.read(recording.id, "consoleErrors", "networkErrors")
  const follows = summaryOf(log)
  const or = <Item>(items: ReadonlyArray<Item>) => (items.length === 0 ? null : items)
  yield* recordingParts.save(recording.id, {
    log: packed(logText(log)),
    consoleErrors: given.consoleErrors ?? or(follows.consoleErrors),
    networkErrors: given.networkErrors ?? or(follows.networkErrors.map((one) => ({ ...one })))
  })
})

/** Into the capture's folder, whose automations fire. Inside the transaction. */
export const enterFolder = Effect.fnUntraced(function* (capture: Capture) {
  const store = yield* storeOf("captures", "recordings")
  const folders = yield* Folders
  const audit = yield* AuditLog
  yield* store.captures.save({ ...capture, dueAt: null })
  if (capture.folderId === null) return
  const before = yield* store.recordings.byUuid(capture.recordingUuid)
  // One that was put elsewhere meanwhile stays there; a folder that is gone is none.
  if (before === undefined || before.folderId !== null) return
  const entered = yield* Effect.option(folders.addRecording(capture.folderId, before.uuid))
  if (entered._tag === "None") return
  yield* audit.record({
    accountId: before.accountId,
    eventType: "recording.added_to_folder",
    status: "success",
    user: null,
    target: { type: "recording", id: before.uuid },
    changes: { folder_id: { from: null, to: capture.folderId } }
  })
})

/** The end of a capture: its recording is complete. Its folder comes when the work on its video is done. */
const settle = Effect.fnUntraced(function* ({ id, state }: Capture, files: ReadonlyArray<VideoFile>) {
  const store = yield* storeOf("captures", "mediaJobs", "recordings")
  const capture = yield* store.captures.byId(id)
  const recording = capture && (yield* store.recordings.byUuid(capture.recordingUuid))
  if (capture === undefined || recording === undefined || capture.state !== state) return false
  const [original = null, ...parts] = files
  const video = { original, processed: null, edited: null, ...(parts.length > 0 && { parts }) }
  const log = joinedLog(capture, yield* store.captures.pieces(id, "log"))
  const filmed = { ...recording, video, updatedAt: yield* now }
  const complete = log === undefined ? filmed : withLog(filmed, capture.redactions, log)
  yield* store.recordings.save(yield* startMediaWork(complete, (yield* ServiceConfig).mediaWork))
  yield* (yield* makeNotices).recordingCreated(complete)
  if (log !== undefined) yield* saveLog(complete, log)
  yield* store.captures.removePieces(id)
  const done: Capture = {
    ...capture,
    state: state === "finishing" ? "finished" : "abandoned",
    uploads: [],
    streams: [],
    dueAt: ((yield* now) + captureIdleMs) as Instant
  }
  const isWorkedOn = (yield* store.mediaJobs.ofRecording(recording.uuid)).length > 0
  if (isWorkedOn && capture.folderId !== null) yield* store.captures.save(done)
  else yield* enterFolder(done)
  return true
})

/**
 * Completes a capture that was closed: joins what came of each run of the recorder, and writes its log. It may run again after a
 * crash at any moment.
 */
export const completeCapture = (id: string) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const store = yield* storeOf("captures", "files", "recordings", "transaction")
      const capture = yield* store.captures.byId(id)
      if (capture?.state !== "finishing" && capture?.state !== "abandoning") return
      const pieces = yield* store.captures.pieces(id, "video")
      const isEmpty = pieces.length === 0 && capture.use.events === 0
      const isGone = (yield* store.recordings.byUuid(capture.recordingUuid)) === undefined
      if (isGone || (isEmpty && capture.state === "abandoning")) {
        return yield* removeFiles(yield* store.transaction(dropCapture(capture)))
      }
      const files: Array<VideoFile> = []
      for (const run of runsOf(capture)) {
        const stretches = pieces.filter(({ uploadId }) => uploadId === run.id)
        files.push(yield* joined(run, stretches))
      }
      const made = files.map(({ fileId }) => fileId)
      const discard = Effect.forEach(made, store.files.discard, { discard: true })
      const isDone = yield* Effect.onError(store.transaction(settle(capture, files)), () => discard)
      yield* isDone ? removeFiles(pieces.map(({ fileId }) => fileId)) : discard
    })
  )
