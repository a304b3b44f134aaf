import type { Recording, RecordingVideo, VideoFile, VideoVersion } from "@tapedeck/domain"
import { filesGone, filesOf } from "@tapedeck/domain/internal/files"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { refuseCapturing } from "../capture/captureOfRecording.ts"
import type { NotFound, StateConflict, Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { type OwnedRecording, Recordings } from "../recordings/Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { auditedVideo } from "./auditedVideo.ts"
import { startMediaWork } from "./media/MediaWork.ts"
import { bytesLeft, quotaExceeded } from "./quota.ts"
import { refuseTrimmed } from "./TrimSettings.ts"
import { removeFiles, type Upload, type UploadPolicy, type UploadRefusal, writeUpload } from "./upload.ts"

/** Stores the video files of recordings. A recording that the caller may not see does not exist (R4). */
export class VideoUploads extends Context.Service<
  VideoUploads,
  {
    /**
     * Stores a file from a stream; the original by default. An original replaces all previous files, a
     * processed or edited file the previous one of its kind.
     */
    readonly upload: <E>(
      caller: Caller,
      uuid: string,
      upload: Upload<E>,
      version?: VideoVersion
    ) => Effect.Effect<OwnedRecording, NotFound | UploadRefusal | Unauthenticated | E>
    /**
     * Refuses an upload of this size that exceeds the caller's quota now, or one to a recording that is being captured; `upload` checks
     * again when the bytes have arrived.
     */
    readonly admit: (caller: Caller, uuid: string, sizeBytes: number) => Effect.Effect<void, NotFound | StateConflict>
  }
>()("@tapedeck/core/VideoUploads") {
  static readonly layer = Layer.effect(
    VideoUploads,
    Effect.gen(function* () {
      const store = yield* storeOf("captures", "changes", "files", "jobs", "recordingParts", "recordings")
      const writing = yield* Effect.context<ServiceConfig | UploadPolicy>()
      const write = yield* writer
      const recordings = yield* Recordings
      const ids = yield* Ids
      const config = yield* ServiceConfig
      const audit = yield* auditor
      const quotaContext = Context.add(storeContext(store), ServiceConfig, config)

      /** The rest of the caller's quota of bytes for a file that replaces others. */
      const allowanceFor = Effect.fnUntraced(function* (caller: Caller, replaced: ReadonlyArray<VideoFile>) {
        const found = yield* Effect.provide(bytesLeft(caller.user), quotaContext)
        if (found === null) return null
        const freed = replaced.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        return { maxBytes: found.left + freed, refusal: quotaExceeded("bytes", found.limit) }
      })

      const refuseCaptured = (recording: Recording) =>
        Effect.provide(refuseCapturing(recording, "video"), storeContext(store))

      const attach = Effect.fnUntraced(function* (
        caller: Caller,
        uuid: string,
        file: VideoFile,
        version: VideoVersion
      ) {
        const { owner, recording: before } = yield* recordings.get(caller, uuid)
        yield* refuseCaptured(before)
        // A file made of the whole video would be served instead of the cut.
        if (version !== "original") yield* refuseTrimmed(before)
        const video = videoWith(before.video, version, file)
        const allowance = yield* allowanceFor(caller, replacedBy(before.video, version))
        if (allowance !== null && file.sizeBytes > allowance.maxBytes) return yield* allowance.refusal
        const attached: Recording = { ...before, video, updatedAt: yield* now }
        const recording =
          version === "original"
            ? yield* Effect.provide(startMediaWork(before, attached, config.mediaWork), storeContext(store))
            : attached
        yield* store.recordings.save(recording)
        yield* store.changes.publishOnCommit(recordingChange(recording))
        yield* audit(
          caller,
          "recording.updated",
          { type: "recording", id: recording.uuid },
          {
            video: { from: auditedVideo(before.video), to: auditedVideo(video) }
          }
        )
        return { before, after: { recording, owner } }
      })

      const upload = <E>(caller: Caller, uuid: string, given: Upload<E>, version: VideoVersion = "original") =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const present = yield* recordings.get(caller, uuid)
            yield* refuseCaptured(present.recording)
            const allowance = yield* allowanceFor(caller, replacedBy(present.recording.video, version))
            if (allowance !== null && (given.sizeBytes ?? 0) > allowance.maxBytes) return yield* allowance.refusal
            const file = yield* restore(Effect.provideContext(writeUpload(given, allowance), writing))
            const attached = Effect.tap(attach(caller, uuid, file, version), given.settle ?? Effect.void)
            // If the recording was deleted in the meantime, or another upload exceeded the quota, the file is removed too.
            const { after, before } = yield* Effect.onError(write(caller, attached), () =>
              store.files.discard(file.fileId)
            )
            yield* removeFiles(store.files, filesGone(before.video, after.recording.video))
            return after
          })
        ).pipe(Effect.provideService(Ids, ids), Effect.provide(storeContext(store)))

      const admit = Effect.fn("VideoUploads.admit")(function* (caller: Caller, uuid: string, sizeBytes: number) {
        const { recording } = yield* recordings.get(caller, uuid)
        yield* refuseCaptured(recording)
        const allowance = yield* allowanceFor(caller, replacedBy(recording.video, "original"))
        if (allowance !== null && sizeBytes > allowance.maxBytes) return yield* allowance.refusal
      })

      return VideoUploads.of({ upload, admit })
    })
  )
}

/** Files that were made of the previous original. */
const videoWith = (before: RecordingVideo, version: VideoVersion, file: VideoFile): RecordingVideo =>
  version === "original" ? { original: file, processed: null, edited: null } : { ...before, [version]: file }

/** The files that a new file of this version replaces. */
const replacedBy = (video: RecordingVideo, version: VideoVersion): ReadonlyArray<VideoFile> =>
  version === "original" ? filesOf(video) : [video[version]].filter((file) => file !== null)
