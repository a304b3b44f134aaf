import { createHash } from "node:crypto"
import type { Recording, RecordingParts, Transcript, VideoFile } from "@tapedeck/domain"
import type { AuditChanges, AuditEventType } from "@tapedeck/domain/audit"
import { filesOf, type TrimmedVideo, type VideoWork, withTrimmed, withWork } from "@tapedeck/domain/internal/files"
import { afterFailedTry, type MediaJob, siteOfQueue } from "@tapedeck/domain/internal/jobs"
import { type ChangedTranscript, settledTranscript, withRecognized } from "@tapedeck/domain/internal/transcript"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Context, Effect, Layer, Stream } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { Ids } from "../../Ids.ts"
import type { UnfinishedJob } from "../../jobs/JobRunner.ts"
import { now } from "../../now.ts"
import { startSummary } from "../../recordings/summaries/startSummary.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { recordingChange, transcriptChange } from "../../store/changes/changes.ts"
import { type JobClaim, storeContext, storeOf } from "../../store/Store.ts"
import { auditedTrim, auditedVideo } from "../auditedVideo.ts"
import { endMediaWork } from "./MediaWork.ts"

export type MediaClaim = JobClaim<MediaJob>

/** Subject of a job. */
export interface MediaSubject {
  readonly recording: Recording
  readonly file: VideoFile
}

/** A try of a job that failed. */
export interface FailedTry {
  /** True if another try is wanted. */
  readonly again: boolean
  /** Reason, shown to users who see the recording. */
  readonly problem?: string
}

/** A recording after a job, and the parts that the job wrote. */
interface Changed {
  readonly recording: Recording
  readonly parts?: Partial<RecordingParts>
}

/** The results of processing a video; null: unknown or not needed. */
export interface ProcessedVideo {
  readonly durationSeconds: number | null
  readonly processed: VideoFile | null
  readonly thumbnail: VideoFile | null
}

/**
 * Ends media jobs. The result of a job is written together with its end, and only while
 * the job still exists: `false` means that it does not, and that nothing was written.
 */
export class MediaJobs extends Context.Service<
  MediaJobs,
  {
    /** Undefined if the recording, or its file, no longer exists; then the job is obsolete. */
    readonly subject: (claim: MediaClaim) => Effect.Effect<MediaSubject | undefined>
    /** Writes a new file, while its bytes arrive. The file is unattached until the job ends with it. */
    readonly keepFile: <E>(contentType: string, bytes: Stream.Stream<Uint8Array, E>) => Effect.Effect<VideoFile, E>
    readonly processed: (claim: MediaClaim, made: ProcessedVideo) => Effect.Effect<boolean>
    readonly trimmed: (claim: MediaClaim, made: TrimmedVideo) => Effect.Effect<boolean>
    readonly transcribed: (claim: MediaClaim, made: RecognizedTranscript) => Effect.Effect<boolean>
    /** Schedules another try, unless none is wanted or all are used up; then the transcript ends without a text. */
    readonly failed: (claim: MediaClaim, options: FailedTry) => Effect.Effect<UnfinishedJob>
  }
>()("@tapedeck/core/MediaJobs") {
  static readonly layer = Layer.effect(
    MediaJobs,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "files", "jobs", "recordingParts", "recordings", "transaction")
      const audit = yield* AuditLog
      const ids = yield* Ids
      const config = yield* ServiceConfig

      const subject = Effect.fnUntraced(function* (claim: MediaClaim) {
        const recording = yield* store.recordings.byUuid(claim.job.recordingUuid)
        const file = recording && filesOf(recording.video).find(({ fileId }) => fileId === claim.job.fileId)
        if (recording !== undefined && file !== undefined) return { recording, file }
        yield* store.jobs.finish(claim)
        yield* endMediaWork(store, claim.job.recordingUuid)
        return undefined
      })

      /** Ends the job with the changed recording. Null: no change. */
      const endWith = Effect.fnUntraced(function* (
        claim: MediaClaim,
        change: (recording: Recording) => Effect.Effect<Changed | null>,
        work: VideoWork = { state: "ready" }
      ) {
        const found = yield* subject(claim)
        if (found === undefined || !(yield* store.jobs.finish(claim))) return "lost" as const
        const changed = yield* change(found.recording)
        // The change may have added a job.
        yield* endMediaWork(store, claim.job.recordingUuid)
        if (changed === null) return "unchanged" as const
        const after = { ...changed, recording: withWork(changed.recording, claim.job.kind, work) }
        yield* store.recordings.save(after.recording)
        yield* store.changes.publishOnCommit(recordingChange(after.recording))
        if (after.parts !== undefined) yield* store.recordingParts.save(after.recording.id, after.parts)
        return "changed" as const
      })

      /** Ends the job with the changed recording. Returns whether the recording was changed. */
      const changes = (...[claim, change]: Parameters<typeof endWith>) =>
        Effect.map(store.transaction(endWith(claim, change)), (result) => result === "changed")

      /** Writes an audit entry of the system, without a user (A7). */
      const record = ({ accountId, uuid }: Recording, eventType: AuditEventType, changes: AuditChanges) =>
        audit.record({
          accountId,
          eventType,
          status: "success",
          user: null,
          target: { type: "recording", id: uuid },
          changes
        })

      const withVideo = (made: ProcessedVideo) =>
        Effect.fnUntraced(function* (before: Recording) {
          // A processed file that exists was uploaded while the job ran: an original has none at first.
          const own = before.video.processed
          if (own !== null && made.processed !== null) yield* store.files.discard(made.processed.fileId)
          const video = {
            ...before.video,
            processed: own ?? made.processed,
            ...(made.thumbnail === null ? {} : { thumbnail: made.thumbnail })
          }
          const durationSeconds = made.durationSeconds ?? before.durationSeconds
          yield* record(before, "recording.updated", {
            video: { from: auditedVideo(before.video), to: auditedVideo(video) },
            duration: { from: before.durationSeconds, to: durationSeconds }
          })
          return { recording: { ...before, video, durationSeconds, updatedAt: yield* now } }
        })

      /** The recording after its trim was made, or was given up (null). */
      const withTrim = (made: TrimmedVideo | null) =>
        Effect.fnUntraced(function* (before: Recording) {
          const { trim } = before.video
          if (trim?.state !== "processing") return null
          const failed = { ...before, video: { ...before.video, trim: { ...trim, state: "failed" } } } as const
          const after = made === null ? failed : { ...before, ...withTrimmed(before, trim, made) }
          yield* record(before, "recording.updated", {
            trim: { from: auditedTrim(before.video), to: auditedTrim(after.video) },
            video: { from: auditedVideo(before.video), to: auditedVideo(after.video) }
          })
          return { recording: { ...after, updatedAt: yield* now } }
        })

      const summarize = (recording: Recording, { job }: MediaClaim) =>
        Effect.provide(startSummary(recording, config.mediaWork, siteOfQueue(job.queueKey)), storeContext(store))

      const withTranscript = (claim: MediaClaim, change: (transcript: Transcript) => ChangedTranscript) =>
        Effect.fnUntraced(function* (before: Recording) {
          const { transcript } = before
          // R15: only a transcript in `processing` can end.
          if (transcript?.status !== "processing") return null
          const { texts, ...changed } = change(transcript)
          const after = settledTranscript(changed.transcript)
          if (texts.processed !== undefined) yield* store.changes.publishOnCommit(transcriptChange(before))
          yield* record(before, "transcript.updated", {
            status: { from: transcript.status, to: after.status },
            segments: { from: transcript.processed || null, to: after.processed || null }
          })
          const recording: Recording = { ...before, transcript: after }
          if (texts.processed === undefined) return { recording, parts: texts }
          return { recording: yield* summarize(recording, claim), parts: texts }
        })

      const failed = Effect.fnUntraced(function* (claim: MediaClaim, { again, problem }: FailedTry) {
        const next = again ? afterFailedTry(claim.job, yield* now) : null
        if (next !== null) return (yield* store.jobs.postpone(claim, next)) ? "postponed" : "lost"
        const given = {
          process: (recording: Recording) => Effect.succeed<Changed>({ recording }),
          trim: withTrim(null),
          transcribe: withTranscript(claim, (transcript) => ({ transcript, texts: {} }))
        }[claim.job.kind]
        const work: VideoWork = { state: "given_up", ...(problem !== undefined && { problem }) }
        return (yield* endWith(claim, given, work)) === "lost" ? "lost" : "given_up"
      })

      const keepFile = Effect.fnUntraced(function* <E>(contentType: string, bytes: Stream.Stream<Uint8Array, E>) {
        const fileId = yield* Effect.provideService(Ids.uuid("file"), Ids, ids)
        const hash = createHash("sha256")
        const hashed = Stream.map(bytes, (piece) => {
          hash.update(piece)
          return piece
        })
        const sizeBytes = yield* store.files.write(fileId, hashed)
        const file: VideoFile = { fileId, contentType, sizeBytes, etag: hash.digest("hex").slice(0, 32) }
        return file
      })

      return MediaJobs.of({
        subject: (claim) => store.transaction(subject(claim)),
        keepFile,
        processed: (claim, made) => changes(claim, withVideo(made)),
        trimmed: (claim, made) => changes(claim, withTrim(made)),
        transcribed: (claim, made) =>
          changes(
            claim,
            withTranscript(claim, (transcript) => withRecognized(transcript, made))
          ),
        failed: (claim, options) => store.transaction(failed(claim, options))
      })
    })
  )
}
