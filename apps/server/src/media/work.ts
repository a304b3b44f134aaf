import { join } from "node:path"
import {
  jobFields,
  jobLeaseMs,
  type MediaClaim,
  MediaJobs,
  type ProcessedVideo,
  retryStoreCall,
  storeOf
} from "@tapedeck/core"
import { trimmedDuration } from "@tapedeck/domain/internal/files"
import { Effect, Result } from "effect"
import {
  type Failure,
  failureOf,
  type Job,
  toolsIfAny,
  type WorkingCopy,
  type WorkResources,
  within,
  workingCopy
} from "./job.ts"
import { transcribe } from "./transcribe.ts"
import type { VideoTools } from "./VideoTools.ts"
import { bytesAt } from "./workFiles.ts"

/** Runs one job, whose work ends with the effect that records its result. Records the result, or its failure, which may be retried. */
export const runJob = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim) {
  const media = yield* MediaJobs
  const subject = yield* media.subject(claim)
  if (subject === undefined) return
  const adopted = { yet: false }
  const maxSeconds = Math.min(resources.maxSeconds, claim.job.maxSeconds ?? resources.maxSeconds)
  const job: Job = { ...resources, maxSeconds, claim, subject }
  const storeFile = fileStorer(adopted)
  const work = {
    process: () => process(job, storeFile),
    transcribe: () => transcribe(job),
    trim: () => trim(job, storeFile)
  }[claim.job.kind]()
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
  const { again, problem, reason = problem } = done.failure
  const outcome = yield* media.failed(claim, { again, problem: withoutPaths(problem, resources.directory) })
  yield* Effect.logWarning("media job failed", { ...jobFields(claim), reason, outcome })
  return outcome
})

/** Failure of a job beyond its time. It is not retried, because the next try would take a slot for as long. */
const tooSlow = ({ timeoutMs }: WorkResources): Failure => ({
  problem: `took too long: more than ${timeoutMs / 1000} s (media_timeout)`,
  again: false
})

/** Maximum length of a problem that is kept with the recording, in characters. */
const maxProblemLength = 500

/** A problem without the paths of the working copy, which say nothing to the people who see the recording. */
const withoutPaths = (problem: string, directory: string): string =>
  problem
    .split(directory)
    .map((piece, index) => (index === 0 ? piece : piece.replace(/^\/media-[^/\s]*\//, "")))
    .join("")
    .slice(0, maxProblemLength)

const toolsOf = Effect.fnUntraced(function* (resources: WorkResources) {
  const found = yield* toolsIfAny(resources)
  if (found === null) return yield* Effect.fail<Failure>({ problem: "no ffmpeg on this machine", again: false })
  return found
})

const process = Effect.fnUntraced(function* (job: Job, storeFile: StoreFile) {
  const tools = yield* toolsOf(job)
  const media = yield* MediaJobs
  const copy = yield* workingCopy(job)
  const made = yield* Effect.mapError(makeVideo(tools, copy, job, storeFile), failureOf)
  return { record: media.processed(job.claim, made) }
})

const trim = Effect.fnUntraced(function* (job: Job, storeFile: StoreFile) {
  const tools = yield* toolsOf(job)
  const media = yield* MediaJobs
  const { claim, maxSeconds, subject } = job
  const range = subject.recording.video.trim
  if (range === undefined) return { record: Effect.succeed(false) }
  const { path, place } = yield* workingCopy(job)
  const [cut, still] = [join(place, "cut.mp4"), join(place, "still.jpg")]
  const make = Effect.gen(function* () {
    yield* tools.trimmed(path, cut, range, yield* within(yield* tools.probe(path), maxSeconds))
    const probe = yield* tools.probe(cut)
    // The still of the whole video is not used, even if there is no other, because it may show a part that was cut off.
    const hasStill = yield* Effect.isSuccess(tools.still(cut, still, probe))
    return {
      edited: yield* storeFile("video/mp4", cut),
      durationSeconds: wholeSeconds(probe.durationSeconds) ?? trimmedDuration(range),
      thumbnail: hasStill ? yield* storeFile("image/jpeg", still) : null
    }
  })
  const made = yield* Effect.mapError(make, failureOf)
  return { record: media.trimmed(claim, made) }
})

/** Retries for as long as a lease lasts: the work of the job is not lost with a restart of the database. */
const maxRecordRetries = jobLeaseMs / 1_000

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

type StoreFile = ReturnType<typeof fileStorer>

const makeVideo = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  { isJoined, path, place }: WorkingCopy,
  { maxSeconds }: Job,
  storeFile: StoreFile
) {
  const probe = yield* within(yield* tools.probe(path), maxSeconds)
  const made: ProcessedVideo = {
    durationSeconds: wholeSeconds(probe.durationSeconds),
    processed: null,
    thumbnail: null
  }
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
  return { durationSeconds: wholeSeconds(length) ?? made.durationSeconds, processed, thumbnail }
})

const wholeSeconds = (seconds: number | null) => (seconds === null ? null : Math.max(1, Math.round(seconds)))
