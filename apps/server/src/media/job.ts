import { join } from "node:path"
import type { MediaClaim, MediaSubject, StorePart, Transcriber } from "@tapedeck/core"
import { Effect, type Scope } from "effect"
import { lengthProblem, type MediaBeyondLimit, pictureProblem } from "./limits.ts"
import type { Probe } from "./probe.ts"
import type { ProcessFailed } from "./runProcess.ts"
import type { JoinedVideo, VideoTools } from "./VideoTools.ts"
import { copyOut, type WorkFileFailed, workDirectory } from "./workFiles.ts"

/** The tools of jobs; null where one is not configured. */
export interface WorkResources {
  /** Searched when first needed. */
  readonly tools: Effect.Effect<VideoTools["Service"] | null, ProcessFailed>
  readonly transcriber: Transcriber["Service"] | null
  /** Maximum length of the sound that the transcriber gets at a time; null: no limit. */
  readonly partSeconds: number | null
  /** Directory of working copies. */
  readonly directory: string
  /** Maximum time of a job, with all of its programs, until its result is recorded. */
  readonly timeoutMs: number
  /** Maximum length of a video. */
  readonly maxSeconds: number
}

/** The resources of one job. */
export interface Job extends WorkResources {
  readonly claim: MediaClaim
  readonly subject: MediaSubject
}

/** Reason why a job has no result, and whether to retry it. */
export interface Failure {
  readonly problem: string
  /** Text for the log. Default: the problem. */
  readonly reason?: string
  readonly again: boolean
}

/** A program that fails for a file fails for it again. A missing one may be installed, and a full disk emptied. */
export const failureOf = (failed: ProcessFailed | WorkFileFailed | MediaBeyondLimit): Failure => ({
  problem: failed.message,
  again:
    failed._tag === "WorkFileFailed" ||
    (failed._tag === "ProcessFailed" && (failed.reason === "not_found" || failed.reason === "not_started"))
})

/** Returns the tools; null without ffmpeg. An ffmpeg that exists and does not run is retried, because it may run the next time. */
export const toolsIfAny = ({ tools }: WorkResources) =>
  Effect.mapError(tools, ({ message }): Failure => ({ problem: message, again: true }))

/** Fails if a video is beyond a limit, and names the limit. */
export const within = (probe: Probe, maxSeconds: number) => {
  const problem = pictureProblem(probe) ?? lengthProblem(probe.durationSeconds, maxSeconds)
  return problem === undefined ? Effect.succeed(probe) : Effect.fail(problem)
}

const gone: Failure = { problem: "its file no longer exists", again: false }

export interface WorkingCopy {
  readonly path: string
  /** True if the copy is several runs of the recorder, joined as an MP4 that every browser plays. */
  readonly isJoined: boolean
  /** The job's directory. */
  readonly place: string
}

/** Copies the job's file. Further runs of the recorder are joined to the first; without ffmpeg the copy has the first run only. */
export const workingCopy = Effect.fnUntraced(function* (
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
