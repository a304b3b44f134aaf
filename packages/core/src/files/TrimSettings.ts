import type { Recording, Trim, TrimRange, VideoFile } from "@tapedeck/domain"
import type { DecodedInput, TrimInput } from "@tapedeck/domain/input"
import {
  filesGone,
  isSameRange,
  MAX_TRIM_SECONDS,
  MIN_TRIMMED_SECONDS,
  trimmedDuration,
  untrimmed,
  wholeVideo,
  withTrimmed
} from "@tapedeck/domain/internal/files"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { type InputInvalid, type NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { type OwnedRecording, Recordings } from "../recordings/Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { auditedTrim } from "./auditedVideo.ts"
import { addJob } from "./media/MediaWork.ts"

/** Duration is in whole seconds: the video may be so much longer. */
const roundingSeconds = 1

/** Above it the emulator's edited file has made-up bytes, which take no memory. */
const maxCopiedBytes = 64 * 1024 * 1024

/** Refuses imports for a trimmed recording, because they have the times of the whole video. */
export const refuseTrimmed = ({ video: { trim } }: Recording): Effect.Effect<void, StateConflict> =>
  trim === undefined || trim.state === "failed"
    ? Effect.void
    : Effect.fail(new StateConflict({ reason: "The recording is trimmed: undo the trim first" }))

/** The cut of a recording's video, which its transcript and its log follow. The whole video is kept; an undo restores it. */
export class TrimSettings extends Context.Service<
  TrimSettings,
  {
    /** Takes `start_seconds` and `end_seconds`, in the whole video. On the emulator it is ready at once. A repeat changes nothing. */
    readonly set: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<TrimInput>
    ) => Effect.Effect<OwnedRecording, NotFound | InputInvalid | StateConflict | Unauthenticated>
    /** The whole video again; a harmless repeat changes nothing. */
    readonly undo: (caller: Caller, uuid: string) => Effect.Effect<OwnedRecording, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/TrimSettings") {
  static readonly layer = Layer.effect(
    TrimSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("files", "mediaJobs", "recordings")
      const write = yield* writer
      const recordings = yield* Recordings
      const ids = yield* Ids
      const config = yield* ServiceConfig
      const audit = yield* auditor

      const read = Effect.fnUntraced(function* (input: DecodedInput<TrimInput>, { durationSeconds }: Recording) {
        const given = yield* valueOf(input, (rest, report) =>
          Effect.sync(() => {
            const { end_seconds: end, start_seconds: start } = rest
            const last = durationSeconds === null ? MAX_TRIM_SECONDS : durationSeconds + roundingSeconds
            if (end !== undefined && end > last) report(["end_seconds"], `must be at most ${last}`)
            if (start !== undefined && end !== undefined && end - start < MIN_TRIMMED_SECONDS) {
              report(["end_seconds"], `must be at least ${MIN_TRIMMED_SECONDS} second after start_seconds`)
            }
          })
        )
        const range: TrimRange = { startSeconds: given.start_seconds, endSeconds: given.end_seconds }
        return range
      })

      /** The file to cut, or why it cannot be. */
      const cuttable = Effect.fnUntraced(function* (recording: Recording) {
        const refuse = (reason: string) => new StateConflict({ reason })
        const { edited, trim } = recording.video
        const file = wholeVideo(recording)
        if (file === null) return yield* refuse("The recording has no video to trim")
        if (trim?.state === "ready") return yield* refuse("The recording is trimmed: undo the trim first")
        if (edited !== null)
          return yield* refuse("The recording has an edited file, which takes the place of its video")
        const jobs = yield* store.mediaJobs.ofRecording(recording.uuid)
        if (jobs.some(({ kind }) => kind === "process")) {
          return yield* refuse("The video is being processed: it can be trimmed when that is done")
        }
        return file
      })

      const saved = Effect.fnUntraced(function* (
        caller: Caller,
        { owner, recording: before }: OwnedRecording,
        change: Pick<Recording, "video" | "durationSeconds">
      ) {
        const recording: Recording = { ...before, ...change, updatedAt: yield* now }
        yield* store.recordings.save(recording)
        yield* audit(
          caller,
          "recording.updated",
          { type: "recording", id: recording.uuid },
          { trim: { from: auditedTrim(before.video), to: auditedTrim(recording.video) } }
        )
        return { owner, recording }
      })

      /** The emulator cuts nothing: the edited file has the bytes of the whole one. */
      const copied = Effect.fnUntraced(
        function* ({ contentType, etag, fileId, sizeBytes }: VideoFile) {
          const copy: VideoFile = { fileId: yield* Ids.uuid("file"), contentType, sizeBytes, etag }
          const bytes = sizeBytes > maxCopiedBytes ? undefined : yield* store.files.read(fileId, 0, sizeBytes)
          if (bytes === undefined) yield* store.files.save(copy.fileId, { kind: "made_up", sizeBytes })
          else yield* store.files.write(copy.fileId, bytes)
          return copy
        },
        Effect.provideService(Ids, ids)
      )

      const begin = Effect.fnUntraced(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<TrimInput>,
        copy: VideoFile | null
      ) {
        const owned = yield* recordings.get(caller, uuid)
        const { recording: before } = owned
        const range = yield* read(input, wholeOf(before))
        const { trim } = before.video
        if (trim !== undefined && trim.state !== "failed" && isSameRange(trim, range)) return owned
        const file = yield* cuttable(before)
        const next: Trim = { ...range, state: "processing" }
        if (copy !== null) {
          const durationSeconds = trimmedDuration(range)
          return yield* saved(
            caller,
            owned,
            withTrimmed(before, next, { edited: copy, durationSeconds, thumbnail: undefined })
          )
        }
        const started = yield* saved(caller, owned, { ...before, video: { ...before.video, trim: next } })
        yield* Effect.provide(addJob(before, "trim", file), storeContext(store))
        return started
      })

      const set = Effect.fn("TrimSettings.set")(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<TrimInput>
      ) {
        const { processes, transcripts } = config.mediaWork
        const inTransaction = (copy: VideoFile | null) => write(caller, begin(caller, uuid, input, copy))
        if (processes) return yield* inTransaction(null)
        const { recording } = yield* recordings.get(caller, uuid)
        yield* read(input, wholeOf(recording))
        // A service without a worker for media: the emulator, or a server without ffmpeg.
        if (transcripts !== "script") {
          return yield* new StateConflict({ reason: "This server has no ffmpeg, which trims videos" })
        }
        const whole = wholeVideo(recording)
        if (whole === null) return yield* inTransaction(null)
        return yield* Effect.uninterruptible(
          Effect.gen(function* () {
            const copy = yield* copied(whole)
            const drop = store.files.discard(copy.fileId)
            const done = yield* Effect.onError(inTransaction(copy), () => drop)
            if (done.recording.video.edited?.fileId !== copy.fileId) yield* drop
            return done
          })
        )
      })

      const takeBack = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const owned = yield* recordings.get(caller, uuid)
        const { recording: before } = owned
        if (before.video.trim === undefined) return { owned, gone: [] }
        yield* store.mediaJobs.remove(before.uuid, "trim")
        const whole = yield* saved(caller, owned, untrimmed(before))
        return { owned: whole, gone: filesGone(before.video, whole.recording.video) }
      })

      const undo = Effect.fn("TrimSettings.undo")(function* (caller: Caller, uuid: string) {
        const { gone, owned } = yield* write(caller, takeBack(caller, uuid))
        // Runs after the commit that removes their references: a file cannot be restored.
        for (const { fileId } of gone) yield* store.files.remove(fileId)
        return owned
      })

      return TrimSettings.of({ set, undo })
    })
  )
}

/** The recording with the length of its whole video. */
const wholeOf = (recording: Recording): Recording => ({
  ...recording,
  durationSeconds: untrimmed(recording).durationSeconds
})
