import { join } from "node:path"
import { MediaJobs, type ProviderFailed } from "@tapedeck/core"
import { servedContentType } from "@tapedeck/domain/internal/files"
import { joinedTranscript, type TranscriptPart } from "@tapedeck/domain/internal/transcript"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Effect } from "effect"
import { type Failure, failureOf, type Job, toolsIfAny, type WorkingCopy, within, workingCopy } from "./job.ts"
import type { VideoTools } from "./VideoTools.ts"

const silence: RecognizedTranscript = { language: null, speakerMap: {}, segments: [] }

/** Creates the transcript of a job, in parts one after another if the transcriber has a limit. */
export const transcribe = Effect.fnUntraced(function* (job: Job) {
  const { claim, transcriber } = job
  if (transcriber === null)
    return yield* Effect.fail<Failure>({ problem: "no transcriber is configured", again: false })
  const media = yield* MediaJobs
  const sound = yield* soundOf(job, yield* workingCopy(job))
  const recordingUuid = claim.job.recordingUuid
  const recognized = (path: string, contentType: string) =>
    Effect.mapError(
      transcriber.transcribe({ recordingUuid, path, contentType }),
      ({ again, reason, problem }: ProviderFailed): Failure => ({ problem, reason, again })
    )
  if (sound === null) return { record: media.transcribed(claim, silence) }
  if (sound.parts === null) {
    return { record: media.transcribed(claim, yield* recognized(sound.path, sound.contentType)) }
  }
  const parts: Array<TranscriptPart> = []
  for (const { path, ...part } of sound.parts) {
    parts.push({ ...part, transcript: yield* recognized(path, sound.contentType) })
  }
  return { record: media.transcribed(claim, joinedTranscript(parts)) }
})

/** A part of the sound, in a file of its own. */
interface SoundPart {
  readonly path: string
  readonly startSeconds: number
  readonly endSeconds: number
}

/**
 * The file for the transcriber. With ffmpeg it is the sound alone: it is small, and every transcriber reads it. Null if the
 * video has no sound. A file that ffmpeg cannot read is passed on as it is, unless the job limits its length.
 */
const soundOf = Effect.fnUntraced(function* (job: Job, { path, place }: WorkingCopy) {
  const tools = yield* toolsIfAny(job)
  const video = { path, contentType: servedContentType(job.subject.file) as string, parts: null }
  if (tools === null) return video
  const { maxSeconds } = job
  const to = join(place, "sound.m4a")
  const make = Effect.gen(function* () {
    const { hasAudio } = yield* within(yield* tools.probe(path), maxSeconds)
    if (!hasAudio) return null
    yield* tools.sound(path, to, maxSeconds)
    // The length that the video states may be another.
    const { durationSeconds } = yield* within(yield* tools.probe(to), maxSeconds)
    const parts = durationSeconds === null ? null : yield* partsOf(tools, to, durationSeconds, job.partSeconds)
    return { path: to, contentType: "audio/mp4", parts }
  })
  return yield* make.pipe(
    Effect.catchIf(
      (failed) => failed._tag === "ProcessFailed" && failed.reason === "failed" && job.claim.job.maxSeconds === null,
      () => Effect.succeed(video)
    ),
    Effect.mapError(failureOf)
  )
})

/** Length of the end of a part that is searched for a pause to end it there, in seconds. */
const pauseSearchSeconds = 30

/** Returns the sound in parts within the transcriber's limit. A part ends in a pause if there is one near its end. */
const partsOf = Effect.fnUntraced(function* (
  tools: VideoTools["Service"],
  path: string,
  durationSeconds: number,
  partSeconds: number | null
) {
  const max = partSeconds ?? durationSeconds
  if (durationSeconds <= max) return [{ path, startSeconds: 0, endSeconds: durationSeconds }]
  const parts: Array<SoundPart> = []
  for (let startSeconds = 0; startSeconds < durationSeconds; ) {
    const latest = startSeconds + max
    const search = { startSeconds: latest - Math.min(pauseSearchSeconds, max / 2), endSeconds: latest }
    const endSeconds = latest >= durationSeconds ? durationSeconds : ((yield* tools.pauseIn(path, search)) ?? latest)
    const part: SoundPart = { path: `${path}-${parts.length}.m4a`, startSeconds, endSeconds }
    yield* tools.soundPart(path, part.path, part)
    parts.push(part)
    startSeconds = endSeconds
  }
  return parts
})
