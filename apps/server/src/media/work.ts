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
import { lengthProblem, type MediaBeyondLimit, pictureProblem } from "./limits.ts"
import type { Probe } from "./probe.ts"
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
  /** Maximum time of a job, with all of its programs, until its result is recorded. */
  readonly timeoutMs: number
  /** Maximum length of a video. */
  readonly maxSeconds: number
}

/** What one job has. */
interface Job extends WorkResources {
  readonly claim: MediaClaim
  readonly subject: MediaSubject
  readonly storeFile: ReturnType<typeof fileStorer>
}

/** Why a job has no result, and whether to retry it. */
interface Failure {
  readonly problem: string
  readonly again: boolean
}

const silence: RecognizedTranscript = { language: null, speakerMap: {}, segments: [] }

/** Runs one job, whose work ends with the effect that records its result. Records the result, or its failure, which may be retried. */
export const runJob = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim) {
  const media = yield* MediaJobs
  const subject = yield* media.subject(claim)
  if (subject === undefined) return
  const adopted = { yet: false }
  const maxSeconds = Math.min(resources.maxSeconds, claim.job.maxSeconds ?? resources.maxSeconds)
  const job: Job = { ...resources, maxSeconds, claim, subject, storeFile: fileStorer(adopted) }
  const work = { process, transcribe, trim }[claim.job.kind](job)
  // A defect, such as a full disk, may be repaired: it counts as a failed try.
  const checked = Effect.catchDefect(work, (defect) =>
    Effect.fail<Failure>({ problem: defect instanceof Error ? defect.message : String(defect), again: true })
  )
  const inTime = Effect.timeoutOrElse(checked, {
    duration: resources.timeoutMs,
    orElse: () => Effect.fail(tooSlow(resources))
  })
  const done = yield* Effect.result(
    Effect.scoped(Effect.flatMap(inTime, ({ record }) => recorded(claim, record, adopted)))
  )
  if (Result.isSuccess(done)) return
  const { again, problem } = done.failure
  const outcome = yield* media.failed(claim, { again, problem: shown(problem, resources.directory) })
  yield* Effect.logWarning("media job failed", { ...jobFields(claim), reason: problem, outcome })
})

/** Not retried: the next try would take a slot for as long. */
const tooSlow = ({ timeoutMs }: WorkResources): Failure => ({
  problem: `took too long: more than ${timeoutMs / 1000} s (media_timeout)`,
  again: false
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

/** A program that fails for a file fails for it again. A missing one may be installed, and a full disk emptied. */
const failureOf = (failed: ProcessFailed | WorkFileFailed | MediaBeyondLimit): Failure => ({
  problem: failed.message,
  again:
    failed._tag === "WorkFileFailed" ||
    (failed._tag === "ProcessFailed" && (failed.reason === "not_found" || failed.reason === "not_started"))
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
  job: Job
): Effect.fn.Return<WorkingCopy, Failure, StorePart<"files"> | Scope.Scope> {
  const { file, recording } = job.subject
  const { video } = recording
  const place = yield* workDirectory(job.directory)
  const path = yield* Effect.mapError(copyOut(file, join(place, "original")), failureOf)
  if (path === undefined) return yield* Effect.fail(gone)
  const parts = file.fileId === video.original?.fileId ? (video.parts ?? []) : []
  const tools = parts.length === 0 ? null : yield* toolsIfAny(job)
  if (tools === null) return { place, path, isJoined: false }
  const copies = [path]
  for (const [index, part] of parts.entries()) {
    const copy = yield* Effect.mapError(copyOut(part, join(place, `part-${index + 1}`)), failureOf)
    if (copy !== undefined) copies.push(copy)
  }
  const joined = yield* Effect.mapError(joinRuns(tools, copies, place, job.maxSeconds), failureOf)
  return joined === null ? { place, path, isJoined: false } : { place, path: joined, isJoined: true }
})

/** Joins the videos among the files; null if there are none. */
const joinRuns = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  files: ReadonlyArray<string>,
  place: string,
  maxSeconds: number
) {
  const videos: Array<JoinedVideo> = []
  for (const path of files) {
    // A run that a crash ended in its first second may be no video.
    const probe = yield* Effect.catchIf(
      tools.probe(path),
      ({ reason }) => reason === "failed",
      () => Effect.succeed(null)
    )
    if (!probe?.hasVideo) continue
    yield* within(probe, maxSeconds)
    videos.push({ path, probe })
  }
  if (videos.length === 0) return null
  const joined = join(place, "joined.mp4")
  yield* tools.joined(videos, joined, maxSeconds)
  return joined
})

/** Fails with the limit that a video is beyond. */
const within = (probe: Probe, maxSeconds: number) => {
  const problem = pictureProblem(probe) ?? lengthProblem(probe.durationSeconds, maxSeconds)
  return problem === undefined ? Effect.succeed(probe) : Effect.fail(problem)
}

const toolsOf = Effect.fnUntraced(function* (resources: WorkResources) {
  const found = yield* toolsIfAny(resources)
  if (found === null) return yield* Effect.fail<Failure>({ problem: "no ffmpeg on this machine", again: false })
  return found
})

const process = Effect.fnUntraced(function* (job: Job) {
  const tools = yield* toolsOf(job)
  const media = yield* MediaJobs
  const copy = yield* workingCopy(job)
  const made = yield* Effect.mapError(makeVideo(tools, copy, job), failureOf)
  return { record: media.processed(job.claim, made) }
})

const trim = Effect.fnUntraced(function* (job: Job) {
  const tools = yield* toolsOf(job)
  const media = yield* MediaJobs
  const { claim, maxSeconds, storeFile, subject } = job
  const range = subject.recording.video.trim
  if (range === undefined) return { record: Effect.succeed(false) }
  const { path, place } = yield* workingCopy(job)
  const [cut, still] = [join(place, "cut.mp4"), join(place, "still.jpg")]
  const make = Effect.gen(function* () {
    yield* tools.trimmed(path, cut, range, yield* within(yield* tools.probe(path), maxSeconds))
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
  return { record: media.trimmed(claim, made) }
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
  { maxSeconds, storeFile }: Job
) {
  const probe = yield* within(yield* tools.probe(path), maxSeconds)
  const made: ProcessedVideo = { durationSeconds: whole(probe.durationSeconds), processed: null, thumbnail: null }
  if (!probe.hasVideo) return made
  const [still, playable] = [join(place, "still.jpg"), join(place, "playable.mp4")]
  // A missing thumbnail is no failure.
  const hasStill = yield* Effect.isSuccess(tools.still(path, still, probe))
  const isNew = !isJoined && (yield* tools.playable(path, playable, probe, maxSeconds))
  // Recorders that stream omit the duration, and a truncated file has that of the whole one: the new file's is true.
  const length = isNew ? (yield* within(yield* tools.probe(playable), maxSeconds)).durationSeconds : null
  const file = isNew ? playable : isJoined ? path : null
  const processed = file === null ? null : yield* storeFile("video/mp4", file)
  const thumbnail = hasStill ? yield* storeFile("image/jpeg", still) : null
  return { durationSeconds: whole(length) ?? made.durationSeconds, processed, thumbnail }
})

const whole = (seconds: number | null) => (seconds === null ? null : Math.max(1, Math.round(seconds)))

const transcribe = Effect.fnUntraced(function* (job: Job) {
  const { claim, transcriber } = job
  if (transcriber === null)
    return yield* Effect.fail<Failure>({ problem: "no transcriber is configured", again: false })
  const media = yield* MediaJobs
  const sound = yield* soundOf(job, yield* workingCopy(job))
  const recordingUuid = claim.job.recordingUuid
  const made =
    sound === null
      ? silence
      : yield* Effect.mapError(
          transcriber.transcribe({ recordingUuid, ...sound }),
          ({ again, reason }: TranscriptionFailed): Failure => ({ problem: reason, again })
        )
  return { record: media.transcribed(claim, made) }
})

/**
 * The file for the transcriber. With ffmpeg it is the sound alone: it is small, and every transcriber reads it. Null if the
 * video has no sound. A file that ffmpeg cannot read is passed on as it is, unless the job limits its length.
 */
const soundOf = Effect.fnUntraced(function* (job: Job, { path, place }: WorkingCopy) {
  const tools = yield* toolsIfAny(job)
  const video = { path, contentType: servedContentType(job.subject.file) as string }
  if (tools === null) return video
  const { maxSeconds } = job
  const to = join(place, "sound.m4a")
  const make = Effect.gen(function* () {
    const { hasAudio } = yield* within(yield* tools.probe(path), maxSeconds)
    if (!hasAudio) return null
    yield* tools.sound(path, to, maxSeconds)
    // The length that the video states may be another.
    yield* within(yield* tools.probe(to), maxSeconds)
    return { path: to, contentType: "audio/mp4" }
  })
  return yield* make.pipe(
    Effect.catchIf(
      (failed) => failed._tag === "ProcessFailed" && failed.reason === "failed" && job.claim.job.maxSeconds === null,
      () => Effect.succeed(video)
    ),
    Effect.mapError(failureOf)
  )
})
