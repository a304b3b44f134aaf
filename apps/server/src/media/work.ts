import { join } from "node:path"
import {
  type MediaClaim,
  MediaJobs,
  type MediaSubject,
  mediaLeaseMs,
  type ProcessedVideo,
  type StorePart,
  storeOf,
  type Transcriber,
  type TranscriptionFailed
} from "@tapedeck/core"
import { servedContentType, trimmedDuration } from "@tapedeck/domain/internal"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Effect, Result, type Scope } from "effect"
import { retryStoreCall } from "./retryStoreCall.ts"
import type { ProcessFailed } from "./runProcess.ts"
import type { JoinedVideo, VideoTools } from "./VideoTools.ts"
import { bytesAt, copyOut, type WorkFileFailed, workDirectory } from "./workFiles.ts"

/** What jobs need; null where it is not configured. */
export interface WorkResources {
  /** Searched when first needed. */
  readonly tools: Effect.Effect<VideoTools["Service"] | null, ProcessFailed>
  readonly transcriber: Transcriber["Service"] | null
  /** Directory of working copies. */
  readonly directory: string
}

/** Why a job has no result, and whether to retry it. */
interface Failure {
  readonly problem: string
  readonly again: boolean
}

const silence: RecognizedTranscript = { language: null, speakerMap: {}, segments: [] }

/** Runs one job. Records its result, or its failure, which may be retried. */
export const runJob = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim) {
  const media = yield* MediaJobs
  const subject = yield* media.subject(claim)
  if (subject === undefined) return
  const work = { process, transcribe, trim }[claim.job.kind](resources, claim, subject)
  // A defect, such as a full disk, may be repaired: it counts as a failed try.
  const checked = Effect.catchDefect(work, (defect) =>
    Effect.fail<Failure>({ problem: defect instanceof Error ? defect.message : String(defect), again: true })
  )
  const done = yield* Effect.result(Effect.scoped(checked))
  if (Result.isSuccess(done)) return
  const { again, problem } = done.failure
  const outcome = yield* media.failed(claim, { again, problem: shown(problem, resources.directory) })
  yield* Effect.logWarning("media job failed", { ...jobFields(claim), reason: problem, outcome })
})

/** How logs name a job. */
export const jobFields = ({ job }: MediaClaim) => ({ kind: job.kind, recording_uuid: job.recordingUuid })

/** Maximum length of a problem that is kept with the recording, in characters. */
const maxProblemLength = 500

/** A problem without the paths of the working copy, which say nothing to the people who see the recording. */
const shown = (problem: string, directory: string): string =>
  problem
    .split(directory)
    .map((piece, index) => (index === 0 ? piece : piece.replace(/^\/media-[^/\s]*\//, "")))
    .join("")
    .slice(0, maxProblemLength)

const gone: Failure = { problem: "its file no longer exists", again: false }

/** A program that fails for a file fails for it again. One that is slow or missing may not. */
const failureOf = (failed: ProcessFailed | WorkFileFailed): Failure => ({
  problem: failed.message,
  again: failed._tag === "WorkFileFailed" || failed.reason !== "failed"
})

/** Null without ffmpeg. One that is there and does not run may run the next time, whatever happened. */
const toolsIfAny = ({ tools }: WorkResources) =>
  Effect.mapError(tools, ({ message }): Failure => ({ problem: message, again: true }))

interface WorkingCopy {
  readonly path: string
  /** Whether it is several runs of the recorder, joined as an MP4 that every browser plays. */
  readonly isJoined: boolean
  /** The job's directory. */
  readonly place: string
}

/** Further runs of the recorder are joined to the first; without ffmpeg that one stands for all. */
const workingCopy = Effect.fnUntraced(function* (
  resources: WorkResources,
  { file, recording: { video } }: MediaSubject
): Effect.fn.Return<WorkingCopy, Failure, StorePart<"files"> | Scope.Scope> {
  const place = yield* workDirectory(resources.directory)
  const path = yield* Effect.mapError(copyOut(file, join(place, "original")), failureOf)
  if (path === undefined) return yield* Effect.fail(gone)
  const parts = file.fileId === video.original?.fileId ? (video.parts ?? []) : []
  const tools = parts.length === 0 ? null : yield* toolsIfAny(resources)
  if (tools === null) return { place, path, isJoined: false }
  const copies = [path]
  for (const [index, part] of parts.entries()) {
    const copy = yield* Effect.mapError(copyOut(part, join(place, `part-${index + 1}`)), failureOf)
    if (copy !== undefined) copies.push(copy)
  }
  const joined = yield* Effect.mapError(joinRuns(tools, copies, place), failureOf)
  return joined === null ? { place, path, isJoined: false } : { place, path: joined, isJoined: true }
})

/** Joins the videos among the files; null if there are none. */
const joinRuns = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  files: ReadonlyArray<string>,
  place: string
) {
  const videos: Array<JoinedVideo> = []
  for (const [index, file] of files.entries()) {
    // A run that a crash ended in its first second may be no video.
    const probe = yield* Effect.option(tools.probe(file))
    if (probe._tag === "None" || !probe.value.hasVideo) continue
    // Recorders that stream omit the duration; a converted file contains it.
    const path = join(place, `run-${index}.mp4`)
    const isNew = yield* tools.playable(file, path, probe.value)
    videos.push(isNew ? { path, probe: yield* tools.probe(path) } : { path: file, probe: probe.value })
  }
  if (videos.length === 0) return null
  const joined = join(place, "joined.mp4")
  yield* tools.joined(videos, joined)
  return joined
})

const toolsOf = Effect.fnUntraced(function* (resources: WorkResources) {
  const found = yield* toolsIfAny(resources)
  if (found === null) return yield* Effect.fail<Failure>({ problem: "no ffmpeg on this machine", again: false })
  return found
})

const process = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim, subject: MediaSubject) {
  const tools = yield* toolsOf(resources)
  const media = yield* MediaJobs
  const copy = yield* workingCopy(resources, subject)
  const adopted = { yet: false }
  const made = yield* Effect.mapError(makeVideo(tools, copy, fileStorer(adopted)), failureOf)
  yield* recorded(claim, media.processed(claim, made), adopted)
})

const trim = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim, subject: MediaSubject) {
  const tools = yield* toolsOf(resources)
  const media = yield* MediaJobs
  const range = subject.recording.video.trim
  if (range === undefined) return
  const { path, place } = yield* workingCopy(resources, subject)
  const adopted = { yet: false }
  const [cut, still] = [join(place, "cut.mp4"), join(place, "still.jpg")]
  const storeFile = fileStorer(adopted)
  const make = Effect.gen(function* () {
    yield* tools.trimmed(path, cut, range, yield* tools.probe(path))
    const probe = yield* tools.probe(cut)
    // The still of the whole may show what was cut off: it is not used, also where there is no other.
    const hasStill = yield* Effect.isSuccess(tools.still(cut, still, probe))
    return {
      edited: yield* storeFile("video/mp4", cut),
      durationSeconds: whole(probe.durationSeconds) ?? trimmedDuration(range),
      thumbnail: hasStill ? yield* storeFile("image/jpeg", still) : null
    }
  })
  const made = yield* Effect.mapError(make, failureOf)
  yield* recorded(claim, media.trimmed(claim, made), adopted)
})

/** Retries for as long as a lease lasts: the work of the job is not lost with a restart of the database. */
const maxRecordRetries = mediaLeaseMs / 1_000

/** Records a result. Uninterruptible between the pauses: files that the recording has adopted must not be removed. */
const recorded = (claim: MediaClaim, record: Effect.Effect<boolean>, adopted: { yet: boolean }) =>
  retryStoreCall(
    Effect.uninterruptible(
      Effect.map(record, (done) => {
        adopted.yet = done
        return done
      })
    ),
    { ...jobFields(claim), step: "recording the result" },
    maxRecordRetries
  )

/** Stores created files, and removes them with the scope unless the recording has adopted them. */
const fileStorer = (adopted: { readonly yet: boolean }) => (contentType: string, path: string) =>
  Effect.gen(function* () {
    const media = yield* MediaJobs
    const store = yield* storeOf("files")
    return yield* Effect.acquireRelease(
      media.keepFile(contentType, bytesAt(path)),
      ({ fileId }) => (adopted.yet ? Effect.void : store.files.discard(fileId)),
      { interruptible: true }
    )
  })

const makeVideo = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  { isJoined, path, place }: WorkingCopy,
  storeFile: ReturnType<typeof fileStorer>
) {
  const probe = yield* tools.probe(path)
  const made: ProcessedVideo = { durationSeconds: whole(probe.durationSeconds), processed: null, thumbnail: null }
  if (!probe.hasVideo) return made
  const [still, playable] = [join(place, "still.jpg"), join(place, "playable.mp4")]
  // A missing thumbnail is no failure.
  const hasStill = yield* Effect.isSuccess(tools.still(path, still, probe))
  const isNew = !isJoined && (yield* tools.playable(path, playable, probe))
  // Recorders that stream omit the duration, and a truncated file has that of the whole one: the new file's is true.
  const length = isNew ? (yield* tools.probe(playable)).durationSeconds : null
  const file = isNew ? playable : isJoined ? path : null
  const processed = file === null ? null : yield* storeFile("video/mp4", file)
  const thumbnail = hasStill ? yield* storeFile("image/jpeg", still) : null
  return { durationSeconds: whole(length) ?? made.durationSeconds, processed, thumbnail }
})

const whole = (seconds: number | null) => (seconds === null ? null : Math.max(1, Math.round(seconds)))

const transcribe = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim, subject: MediaSubject) {
  const { transcriber } = resources
  if (transcriber === null)
    return yield* Effect.fail<Failure>({ problem: "no transcriber is configured", again: false })
  const media = yield* MediaJobs
  const copy = yield* workingCopy(resources, subject)
  const sound = yield* soundOf(resources, subject, copy)
  const recordingUuid = claim.job.recordingUuid
  const made =
    sound === null
      ? silence
      : yield* Effect.mapError(
          transcriber.transcribe({ recordingUuid, ...sound }),
          ({ again, reason }: TranscriptionFailed): Failure => ({ problem: reason, again })
        )
  yield* recorded(claim, media.transcribed(claim, made), { yet: false })
})

/**
 * The file for the transcriber. With ffmpeg it is the sound alone: it is small, and every transcriber reads it. Null if the
 * video has no sound. A file that ffmpeg cannot read is passed on as it is.
 */
const soundOf = Effect.fnUntraced(function* (
  resources: WorkResources,
  { file }: MediaSubject,
  { path, place }: WorkingCopy
) {
  const tools = yield* toolsIfAny(resources)
  const video = { path, contentType: servedContentType(file) as string }
  if (tools === null) return video
  const to = join(place, "sound.m4a")
  const probe = yield* Effect.option(tools.probe(path))
  if (probe._tag === "None") return video
  if (!probe.value.hasAudio) return null
  const isMade = yield* Effect.isSuccess(tools.sound(path, to))
  return isMade ? { path: to, contentType: "audio/mp4" } : video
})
