import * as Schema from "effect/Schema"
import { RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * `transcribe` creates segments from speech. `process` determines the duration and creates a thumbnail and a playable file. `trim`
 * cuts the video.
 */
export const MediaJobKind = Schema.Literals(["transcribe", "process", "trim"])
export type MediaJobKind = typeof MediaJobKind.Type

/** Work on a recording's media that takes its time. There is at most one of a kind for a recording. */
export const MediaJob = Schema.Struct({
  recordingUuid: RecordingUuid,
  kind: MediaJobKind,
  /** The video file of the job. The job is obsolete when the recording no longer has the file. */
  fileId: Schema.String,
  /** How many tries have failed. */
  failedTries: Schema.Natural,
  dueAt: Instant
})
export type MediaJob = typeof MediaJob.Type

const MINUTE_MS = 60_000

/** The delays before the second try, the third, …: each four times the one before, from a minute on. */
export const mediaRetryDelays: ReadonlyArray<number> = [1, 4, 16, 64, 256].map((minutes) => minutes * MINUTE_MS)

/** The job after a try that failed `at`: due again later, or null when it is given up. */
export const afterFailedTry = (job: MediaJob, at: Instant): MediaJob | null => {
  const delayMs = mediaRetryDelays[job.failedTries]
  return delayMs === undefined ? null : { ...job, failedTries: job.failedTries + 1, dueAt: Instant.make(at + delayMs) }
}
