import type { Recording, RecordingUuid, VideoFile } from "@tapedeck/domain"
import { bestVideo, wholeVideo, withWork } from "@tapedeck/domain/internal/files"
import { jobIds, type MediaJob, MediaJobKind, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { withoutChapters } from "@tapedeck/domain/internal/recordings"
import { decideTranscript, noTranscript, settledTranscript, withStatus } from "@tapedeck/domain/internal/transcript"
import { Effect, Result } from "effect"
import { now } from "../../now.ts"
import { type SummaryPolicy, startSummary } from "../../recordings/summaries/startSummary.ts"
import { type Store, storeOf } from "../../store/Store.ts"

/**
 * The media jobs that an upload, or the request for a transcript, causes. None, unless the service has a worker: in the
 * emulator transcripts follow their scripts, and videos are not processed.
 */
export interface MediaWork extends SummaryPolicy {
  /** True if videos are measured and made playable. */
  readonly processes: boolean
  /** Source of transcripts. `none`: a requested transcript ends at once. `script`: a script outside of this service. */
  readonly transcripts: "transcriber" | "none" | "script"
}

/** The origin of an order of work on a video, and the maximum duration of the video. */
export interface MediaOrder {
  /** The site that strangers captured it on; null: members of the account, or customers by their links. */
  readonly siteId: string | null
  readonly maxSeconds: number | null
}

const orderOfMembers: MediaOrder = { siteId: null, maxSeconds: null }

/** The reason why a requested transcript would end at once without one; null if it is made. */
export const transcriptObstacle = (
  recording: Recording,
  { transcripts }: MediaWork
): "no_transcriber" | "no_video" | null => {
  if (transcripts === "none") return "no_transcriber"
  return transcripts === "transcriber" && wholeVideo(recording) === null ? "no_video" : null
}

const mediaJobIds = (uuid: RecordingUuid) => [
  ...MediaJobKind.literals.map((kind) => jobIds.media(kind, uuid)),
  jobIds.summary(uuid)
]

/** Returns the kinds of the jobs on the media and the transcript of a recording. */
export const mediaJobsOf = ({ jobs }: Pick<Store, "jobs">, uuid: RecordingUuid) =>
  Effect.map(jobs.byIds(mediaJobIds(uuid)), (all) => all.map(({ kind }) => kind))

/** Cancels the jobs on the media and the transcript of a recording; with a kind, only that one. Inside the transaction. */
export const cancelMediaJobs = ({ jobs }: Pick<Store, "jobs">, uuid: RecordingUuid, kind?: MediaJobKind) =>
  jobs.cancel(kind === undefined ? mediaJobIds(uuid) : [jobIds.media(kind, uuid)])

/** Makes the job that waits for the end of the work on a recording's media due, if no work is left. Inside the transaction. */
export const endMediaWork = Effect.fnUntraced(function* ({ jobs }: Pick<Store, "jobs">, uuid: RecordingUuid) {
  const [waiting] = yield* jobs.byIds([jobIds.afterMedia(uuid)])
  if (waiting === undefined || (yield* mediaJobsOf({ jobs }, uuid)).length > 0) return
  yield* jobs.enqueue({ ...waiting, dueAt: yield* now })
})

/** Schedules a job, which replaces the one of its kind. Inside the transaction. */
export const addJob = Effect.fnUntraced(function* (
  { accountId, uuid }: Recording,
  kind: MediaJob["kind"],
  { fileId }: VideoFile,
  { maxSeconds, siteId }: MediaOrder = orderOfMembers
) {
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.enqueue({
    kind,
    id: jobIds.media(kind, uuid),
    queueKey: queueKeyOf(kind, accountId, siteId),
    recordingUuid: uuid,
    fileId,
    maxSeconds,
    failedTries: 0,
    dueAt: yield* now
  })
})

/**
 * Starts making a transcript that is `processing`, by the policy, and returns the recording after that. Without a transcriber or a
 * video, the transcript ends at once. Inside the transaction.
 */
export const makeTranscript = Effect.fnUntraced(function* (
  recording: Recording,
  { transcripts }: MediaWork,
  order?: MediaOrder
) {
  const { transcript } = recording
  if (transcripts === "script" || transcript === null) return recording
  const file = wholeVideo(recording)
  if (file !== null && transcripts === "transcriber") {
    yield* addJob(recording, "transcribe", file, order)
    return withWork(recording, "transcribe", { state: "processing" })
  }
  return { ...recording, transcript: settledTranscript(transcript) }
})

/** Returns whether a user wrote the transcript of a recording that had no video: a transcript of the video would replace it. */
const hasOwnTranscript = (before: Recording): boolean => {
  const { transcript } = before
  const isMade = transcript !== null && (transcript.processed > 0 || transcript.legacy)
  return isMade && wholeVideo(before) === null
}

/**
 * Schedules the work on a new video, in the place of the work on the video of `before`; returns the recording as it is then. Belongs
 * inside the transaction.
 */
export const startMediaWork = Effect.fnUntraced(function* (
  before: Recording,
  uploaded: Recording,
  mediaWork: MediaWork,
  order?: MediaOrder
) {
  const { processes, transcripts } = mediaWork
  yield* cancelMediaJobs(yield* storeOf("jobs"), uploaded.uuid)
  const file = bestVideo(uploaded)
  const isProcessed = processes && file !== null
  if (isProcessed) yield* addJob(uploaded, "process", file, order)
  const { work: _work, ...rest } = withoutChapters(uploaded)
  const recording: Recording = isProcessed ? withWork<Recording>(rest, "process", { state: "processing" }) : rest
  if (hasOwnTranscript(before)) return yield* startSummary(recording, mediaWork, order?.siteId)
  if (transcripts !== "transcriber") return yield* makeTranscript(recording, mediaWork, order)
  const transcript = recording.transcript ?? noTranscript
  // A transcript in progress starts again from the new video.
  const status = decideTranscript(transcript.status, "Requested")
  const requested = Result.isSuccess(status) ? withStatus(transcript, status.success) : transcript
  return yield* makeTranscript({ ...recording, transcript: requested }, mediaWork, order)
})
