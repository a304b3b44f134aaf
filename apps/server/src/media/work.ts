import { join } from "node:path"
import {
  type MediaClaim,
  MediaJobs,
  type MediaSubject,
  type ProcessedVideo,
  Store,
  type Transcriber,
  type TranscriptionFailed
} from "@tapedeck/core"
import { type RecognizedTranscript, servedContentType } from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { ProcessFailed } from "./runProcess.ts"
import type { VideoTools } from "./VideoTools.ts"
import { bytesAt, copyOut, type WorkFileTrouble, workDirectory } from "./workFiles.ts"

/** What there is to work with; null: none. */
export interface Hands {
  /** Looked for when they are needed. */
  readonly tools: Effect.Effect<VideoTools["Service"] | null>
  readonly transcriber: Transcriber["Service"] | null
  /** Where working copies are for as long as the work lasts. */
  readonly directory: string
}

/** Why there is no result, and whether there may be one another time. */
interface Setback {
  readonly problem: string
  readonly again: boolean
}

const silence: RecognizedTranscript = { language: null, speakerMap: {}, segments: [] }

/** Works on one job to its end: with a result, or with another try later, or without. */
export const workOn = Effect.fnUntraced(function* (hands: Hands, claim: MediaClaim) {
  const media = yield* MediaJobs
  const subject = yield* media.subject(claim)
  if (subject === undefined) return
  const work = claim.job.kind === "process" ? process(hands, claim, subject) : transcribe(hands, claim, subject)
  // What breaks here, a full disk before all, may be mended: it counts as a try that failed.
  const checked = Effect.catchDefect(work, (defect) =>
    Effect.fail<Setback>({ problem: defect instanceof Error ? defect.message : String(defect), again: true })
  )
  const done = yield* Effect.result(Effect.scoped(checked))
  if (Result.isSuccess(done)) return
  const { again, problem } = done.failure
  const outcome = yield* media.failed(claim, { again })
  const kind = claim.job.kind === "process" ? "processing" : "transcribing"
  const then = {
    postponed: "it is tried again later",
    given_up: "it is given up",
    lost: "it is not asked for any more"
  }
  yield* Effect.logWarning(`${kind} recording ${claim.job.recordingUuid}: ${problem}; ${then[outcome]}`)
})

const gone: Setback = { problem: "its file is there no more", again: false }

/** A program that fails at a file fails at it again; one that is slow or missing may not. */
const setbackOf = (failed: ProcessFailed | WorkFileTrouble): Setback => ({
  problem: failed.message,
  again: failed._tag === "WorkFileTrouble" || failed.reason !== "failed"
})

interface WorkingCopy {
  readonly path: string
  /** Where it is, and what is made of it can be. */
  readonly place: string
}

const workingCopy = Effect.fnUntraced(function* ({ directory }: Hands, { file }: MediaSubject) {
  const place = yield* workDirectory(directory)
  const path = yield* Effect.mapError(copyOut(file, join(place, "original")), setbackOf)
  return path === undefined ? yield* Effect.fail(gone) : { place, path }
})

const process = Effect.fnUntraced(function* (hands: Hands, claim: MediaClaim, subject: MediaSubject) {
  const tools = yield* hands.tools
  if (tools === null) return yield* Effect.fail<Setback>({ problem: "there is no ffmpeg here", again: false })
  const media = yield* MediaJobs
  const { path, place } = yield* workingCopy(hands, subject)
  const adopted = { yet: false }
  const made = yield* Effect.mapError(makeVideo(tools, { path, place }, keeper(adopted)), setbackOf)
  // As one: what the recording has is not taken away from it again.
  yield* Effect.uninterruptible(
    Effect.map(media.processed(claim, made), (done) => {
      adopted.yet = done
    })
  )
})

/** Keeps files that were made, for as long as the scope lasts; those that were adopted stay. */
const keeper = (adopted: { readonly yet: boolean }) => (contentType: string, path: string) =>
  Effect.gen(function* () {
    const media = yield* MediaJobs
    const store = yield* Store
    return yield* Effect.acquireRelease(
      media.keepFile(contentType, bytesAt(path)),
      ({ fileId }) => (adopted.yet ? Effect.void : store.files.remove(fileId)),
      { interruptible: true }
    )
  })

const makeVideo = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  { path, place }: WorkingCopy,
  keep: ReturnType<typeof keeper>
) {
  const probe = yield* tools.probe(path)
  const made: ProcessedVideo = { durationSeconds: whole(probe.durationSeconds), processed: null, thumbnail: null }
  if (!probe.hasVideo) return made
  const [still, playable] = [join(place, "still.jpg"), join(place, "playable.mp4")]
  // Without a still the video is as good.
  const hasStill = yield* Effect.isSuccess(tools.still(path, still, probe))
  const isNew = yield* tools.playable(path, playable, probe)
  // Recorders that stream do not tell how long it took; what is made of it does.
  const length = isNew && probe.durationSeconds === null ? (yield* tools.probe(playable)).durationSeconds : null
  const processed = isNew ? yield* keep("video/mp4", playable) : null
  const thumbnail = hasStill ? yield* keep("image/jpeg", still) : null
  return { durationSeconds: made.durationSeconds ?? whole(length), processed, thumbnail }
})

const whole = (seconds: number | null) => (seconds === null ? null : Math.max(1, Math.round(seconds)))

const transcribe = Effect.fnUntraced(function* (hands: Hands, claim: MediaClaim, subject: MediaSubject) {
  const { transcriber } = hands
  if (transcriber === null) return yield* Effect.fail<Setback>({ problem: "there is no transcriber", again: false })
  const media = yield* MediaJobs
  const { path, place } = yield* workingCopy(hands, subject)
  const sound = yield* soundOf(hands, subject, { path, place })
  const recordingUuid = claim.job.recordingUuid
  const made =
    sound === null
      ? silence
      : yield* Effect.mapError(
          transcriber.transcribe({ recordingUuid, ...sound }),
          ({ again, reason }: TranscriptionFailed): Setback => ({ problem: reason, again })
        )
  yield* media.transcribed(claim, made)
})

/**
 * What is sent to the transcriber: with ffmpeg the sound alone, which is a small part of the video, and which every
 * transcriber reads. Null: there is none. What ffmpeg does not understand the transcriber may.
 */
const soundOf = Effect.fnUntraced(function* (hands: Hands, { file }: MediaSubject, { path, place }: WorkingCopy) {
  const tools = yield* hands.tools
  const video = { path, contentType: servedContentType(file) as string }
  if (tools === null) return video
  const to = join(place, "sound.m4a")
  const probe = yield* Effect.option(tools.probe(path))
  if (probe._tag === "None") return video
  if (!probe.value.hasAudio) return null
  const isMade = yield* Effect.isSuccess(tools.sound(path, to))
  return isMade ? { path: to, contentType: "audio/mp4" } : video
})
