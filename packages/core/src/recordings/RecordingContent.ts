import {
  type Pagination,
  paginate,
  type Recording,
  type RecordingParts,
  type RecordingUuid,
  type Segment,
  type VideoFile
} from "@tapedeck/domain"
import type { DecodedInput, Lenient, RecordingChange, Report } from "@tapedeck/domain/input"
import { bestVideo } from "@tapedeck/domain/internal/files"
import { consoleErrorsOf, sharingOf } from "@tapedeck/domain/internal/recordings"
import { Cause, Context, Effect, Layer, type Scope, Stream, Struct } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { auditor, changesBetween, isChange } from "../audit/audited.ts"
import { type LogStart, type LogText, logText, openedText, startOfLog, storedLog } from "../capture/storedLog.ts"
import { type InputInvalid, NotFound, type Unauthenticated, VideoNotReady } from "../errors.ts"
import { whenFull } from "../files/space.ts"
import { valueOf } from "../input/decodeInput.ts"
import { makeNotices } from "../mail/Notices.ts"
import { now } from "../now.ts"
import { openedStream } from "../openedStream.ts"
import { type Caller, RequestOrigin } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig, transcriptPageSize } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { sliceOf, storeContext, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { ownerFor } from "./ownerFor.ts"
import { type OwnedRecording, Recordings } from "./Recordings.ts"
import { auditedRecording, changedErrors, changedRecording, checkRecordingChange } from "./recordingChange.ts"
import { readableFinder, recordingFinder } from "./recordingFinder.ts"
import { type AccessRequest, admits } from "./sharing/mediaAccess.ts"
import { type OpenTranscript, Transcripts } from "./Transcripts.ts"

/** A recording and its transcript, as a reader sees it. */
export interface ReadRecording {
  readonly recording: Recording
  readonly transcript: OpenTranscript
}

/** Content of the public page. */
export interface PublicView extends ReadRecording {
  /** Origins whose pages may embed it. */
  readonly embedOrigins: ReadonlyArray<string>
  /** Whether other services may show a preview of it: every person may open it, and the account allows previews. */
  readonly hasLinkPreview: boolean
}

export interface TranscriptPage {
  readonly recordingUuid: RecordingUuid
  readonly status: "ready" | "processing" | "unavailable"
  readonly language: string | null
  readonly speakerMap: Readonly<Record<string, string>>
  readonly pagination: Pagination
  readonly segments: ReadonlyArray<Segment>
}

/** A file that can be read: all of it, or `length` bytes from `start`. */
export interface StoredFile {
  readonly file: VideoFile
  /** The first piece is read before it returns: a file that is missing, or cannot be read, is a defect here. */
  readonly read: (start: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>
}

/** The file that is served of a recording. */
export interface Video extends StoredFile {
  readonly recording: Recording
}

/**
 * Content of recordings: texts, transcript, video and public page. `uuid` is the text of the caller: a text that is not a UUID, and the
 * UUID of a recording that the caller cannot see, are `NotFound` (R4, R5). `authorize` decides which calls are permitted.
 */
export class RecordingContent extends Context.Service<
  RecordingContent,
  {
    /** Returns the errors of the recorded page. Console errors default to the error lines of the console output (W7). */
    readonly errors: (
      caller: Caller,
      uuid: string
    ) => Effect.Effect<
      { readonly [Name in "consoleErrors" | "networkErrors"]: NonNullable<RecordingParts[Name]> },
      NotFound
    >
    /** Changes the fields that the input has. `updatedAt` moves only if a value differs (R11). */
    readonly update: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<RecordingChange>
    ) => Effect.Effect<OwnedRecording, NotFound | InputInvalid | Unauthenticated>
    /**
     * The edited file, else the processed one, else the original. Reading it is an audit entry if `isDownload` returns that the request
     * begins a download of the video (A4). A second entry, with `failure`, follows if reading fails.
     */
    readonly download: (
      caller: Caller,
      uuid: string,
      isDownload: (video: Video) => boolean
    ) => Effect.Effect<Video, NotFound | VideoNotReady>
    /** One page of segments, 100 each (R13, R14). */
    readonly transcript: (caller: Caller, uuid: string, page: number) => Effect.Effect<TranscriptPage, NotFound>
    // The public page, and its files: not found for requests that the recording's sharing does not admit.
    /** Returns the content of the public page, and counts one impression on request (W12). */
    readonly publicView: (
      uuid: string,
      accessRequest: AccessRequest & { readonly count: boolean }
    ) => Effect.Effect<PublicView, NotFound>
    /** The still of the public page; null: none was made of the video. */
    readonly publicStill: (
      uuid: string,
      accessRequest: AccessRequest
    ) => Effect.Effect<{ readonly recording: Recording; readonly still: StoredFile | null }, NotFound>
    /** The log of the public page as JSON Lines, where the recording's sharing includes it. */
    readonly publicLog: (uuid: string, accessRequest: AccessRequest) => Effect.Effect<LogText, NotFound, Scope.Scope>
    /** Returns the first events of that log. */
    readonly publicLogStart: (
      uuid: string,
      accessRequest: AccessRequest,
      maxEvents: number
    ) => Effect.Effect<LogStart, NotFound>
    /** The video of the public page; no audit entry. */
    readonly publicVideo: (uuid: string, accessRequest: AccessRequest) => Effect.Effect<Video, NotFound | VideoNotReady>
  }
>()("@tapedeck/core/RecordingContent") {
  static readonly layer = Layer.effect(
    RecordingContent,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "accounts",
        "changes",
        "files",
        "recordingParts",
        "recordings",
        "space",
        "transaction",
        "users"
      )
      const vault = yield* Vault
      const audit = yield* AuditLog
      const record = yield* auditor
      const config = yield* ServiceConfig
      const recordings = yield* Recordings
      const write = yield* writer
      const transcripts = yield* Transcripts
      const notices = yield* makeNotices
      const find = recordingFinder(store)
      const findFor = readableFinder(store)

      const findAdmitted = (uuid: string, accessRequest: AccessRequest) =>
        Effect.flatMap(Effect.zip(find(uuid), now), ([recording, at]) =>
          admits(vault, recording, accessRequest, at)
            ? Effect.succeed(recording)
            : Effect.fail(new NotFound({ what: "Recording" }))
        )

      const checkChange = (caller: Caller) =>
        Effect.fnUntraced(function* (change: Lenient<RecordingChange>, report: Report) {
          checkRecordingChange(change, config.vendor, report)
          if (change.user !== undefined && (yield* ownerFor(store, caller, change.user)) === undefined) {
            report(["user"], "is not the e-mail address of a user")
          }
        })

      const update = Effect.fn("RecordingContent.update")(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<RecordingChange>
      ) {
        const { owner: ownerBefore, recording: before } = yield* recordings.get(caller, uuid)
        const change = yield* valueOf(input, checkChange(caller))
        const newErrors = changedErrors(change)
        const errorsBefore = yield* store.recordingParts.read(before.id, ...Struct.keys(newErrors))
        const errors = { ...errorsBefore, ...newErrors }
        const owner = change.user === undefined ? ownerBefore : ((yield* ownerFor(store, caller, change.user)) ?? null)
        const at = yield* now
        const ownerId = change.user === undefined ? before.ownerId : (owner?.id ?? null)
        const after = changedRecording(before, change, { at, ownerId, vendor: config.vendor })
        const changes = changesBetween(
          auditedRecording(before, ownerBefore, errorsBefore, config.vendor),
          auditedRecording(after, owner, errors, config.vendor)
        )
        if (!isChange(changes)) return { recording: before, owner: ownerBefore }
        const recording = { ...after, updatedAt: at }
        yield* store.recordings.save(recording)
        yield* store.changes.publishOnCommit(recordingChange(recording))
        yield* store.recordingParts.save(recording.id, newErrors)
        yield* record(caller, "recording.updated", { type: "recording", id: recording.uuid }, changes)
        return { recording, owner }
      })

      const video = Effect.fnUntraced(function* (recording: Recording) {
        const file = bestVideo(recording)
        if (file === null) return yield* new VideoNotReady()
        return { recording, ...stored(file) }
      })

      const stored = (file: VideoFile): StoredFile => ({
        file,
        read: (start, length) =>
          Effect.flatMap(store.files.read(file.fileId, start, length), (bytes) =>
            bytes === undefined
              ? Effect.die(new Error(`file ${file.fileId} is gone`))
              : openedStream(complete(bytes, { fileId: file.fileId, length }))
          )
      })

      const publicStill = Effect.fn("RecordingContent.publicStill")(function* (
        uuid: string,
        accessRequest: AccessRequest
      ) {
        const recording = yield* findAdmitted(uuid, accessRequest)
        const { thumbnail } = recording.video
        return { recording, still: thumbnail === undefined ? null : stored(thumbnail) }
      })

      const findShared = Effect.fnUntraced(function* (uuid: string, accessRequest: AccessRequest) {
        const recording = yield* findAdmitted(uuid, accessRequest)
        const isShared = recording.isLogShared === true
        const found = isShared ? yield* Effect.provide(storedLog(recording), storeContext(store)) : undefined
        return found ?? (yield* new NotFound({ what: "Capture log" }))
      })

      const publicLog = Effect.fn("RecordingContent.publicLog")((uuid: string, accessRequest: AccessRequest) =>
        Effect.flatMap(findShared(uuid, accessRequest), (log) => openedText(log, logText(log)))
      )

      const publicLogStart = Effect.fn("RecordingContent.publicLogStart")(
        (uuid: string, accessRequest: AccessRequest, maxEvents: number) =>
          Effect.flatMap(findShared(uuid, accessRequest), (log) => Effect.promise(() => startOfLog(log, maxEvents)))
      )

      const download = Effect.fn("RecordingContent.download")(function* (
        caller: Caller,
        uuid: string,
        isDownload: (video: Video) => boolean
      ) {
        const found = yield* Effect.flatMap(findFor(caller, uuid), video)
        if (!isDownload(found)) return found
        const record = (status: "success" | "failure") =>
          store.transaction(
            audit.record({
              accountId: caller.account.id,
              eventType: "recording.downloaded",
              status,
              user: caller.user,
              target: { type: "recording", id: found.recording.uuid }
            })
          )
        // The stream runs outside of the request's context.
        const origin = yield* RequestOrigin
        const failed = record("failure").pipe(
          Effect.provideService(RequestOrigin, origin),
          Effect.catchCause((cause) => Effect.logError("A failed download is not in the audit log", cause))
        )
        // The entry is written after the file is open, and before the first byte is sent: without space for it there is no download.
        const read: Video["read"] = (start, length) =>
          Effect.map(Effect.tap(found.read(start, length), record("success")), (bytes) =>
            Stream.onError(bytes, (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : failed))
          )
        return { ...found, read }
      })

      const transcript = Effect.fn("RecordingContent.transcript")(function* (
        caller: Caller,
        uuid: string,
        page: number
      ) {
        const recording = yield* Effect.flatMap(findFor(caller, uuid), (found) => transcripts.read(found))
        const shown = yield* transcripts.open(recording)
        return {
          recordingUuid: recording.uuid,
          status: shown.status,
          language: shown.language,
          speakerMap: shown.speakerMap,
          pagination: paginate({ count: shown.segments, page, items: transcriptPageSize }),
          segments: yield* shown.read(sliceOf({ page, items: transcriptPageSize }))
        }
      })

      /** The view is counted with the mail of the first one. */
      const countView = (recording: Recording) => {
        const counted = store.recordings.countView(recording.id)
        if (!notices.isOn || recording.impressionsCount > 0) return counted
        return store.transaction(Effect.andThen(notices.firstView(recording), counted))
      }

      const publicView = Effect.fn("RecordingContent.publicView")(function* (
        uuid: string,
        { count, ...accessRequest }: AccessRequest & { readonly count: boolean }
      ) {
        const recording = yield* findAdmitted(uuid, accessRequest)
        if (count && !(yield* store.space.isFull)) yield* countView(recording)
        const account = yield* store.accounts.byId(recording.accountId)
        return {
          recording,
          transcript: yield* transcripts.open(recording),
          embedOrigins: account?.embedOrigins ?? [],
          hasLinkPreview: account?.linkPreviews === true && sharingOf(recording) === "public"
        }
      })

      return RecordingContent.of({
        errors: (caller, uuid) =>
          Effect.flatMap(findFor(caller, uuid), (recording) =>
            Effect.map(store.recordingParts.read(recording.id, "consoleErrors", "networkErrors"), (parts) => ({
              consoleErrors: consoleErrorsOf(parts, recording),
              networkErrors: parts.networkErrors ?? []
            }))
          ),
        update: (caller, uuid, input) => write(caller, update(caller, uuid, input)),
        download,
        // A read that shares its commit with a write that found no space is repeated alone.
        transcript: (caller, uuid, page) => {
          const read = transcript(caller, uuid, page)
          return whenFull(store.transaction(read), read)
        },
        publicView,
        publicStill,
        publicLog,
        publicLogStart,
        publicVideo: (uuid, accessRequest) => Effect.flatMap(findAdmitted(uuid, accessRequest), video)
      })
    })
  )
}

/** Dies if there are fewer bytes than requested: a truncated file is an error, not the end of the stream. */
const complete = (bytes: Stream.Stream<Uint8Array>, asked: { readonly fileId: string; readonly length: number }) =>
  Stream.suspend(() => {
    let left = asked.length
    const counted = Stream.tap(bytes, (piece) =>
      Effect.sync(() => {
        left -= piece.length
      })
    )
    const checked = Effect.suspend(() =>
      left > 0 ? Effect.die(new Error(`file ${asked.fileId} ended ${left} bytes early`)) : Effect.void
    )
    return Stream.concat(counted, Stream.fromEffectDrain(checked))
  })
