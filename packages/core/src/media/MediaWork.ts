import {
  bestVideo,
  decideTranscript,
  type MediaJob,
  noTranscript,
  type Recording,
  settledTranscript,
  type VideoFile,
  withStatus
} from "@tapedeck/domain"
import { Context, Effect, Result } from "effect"
import { now } from "../now.ts"
import { Store } from "../Store.ts"

/**
 * Which work on media an upload, or the request for a transcript, causes. None, unless a service has hands for it: in the
 * emulator transcripts follow their scripts, and nothing of a video is looked at.
 */
export const MediaWork = Context.Reference<{
  /** Whether videos are measured and made playable. */
  readonly processes: boolean
  /** Who makes transcripts. `nobody`: one that is asked for has come to its end at once. `script`: somebody outside. */
  readonly transcripts: "transcriber" | "nobody" | "script"
}>("@tapedeck/core/MediaWork", { defaultValue: () => ({ processes: false, transcripts: "script" }) })

const addJob = Effect.fnUntraced(function* ({ uuid }: Recording, kind: MediaJob["kind"], { fileId }: VideoFile) {
  const store = yield* Store
  yield* store.mediaJobs.add({ recordingUuid: uuid, kind, fileId, failedTries: 0, dueAt: yield* now })
})

/**
 * Sees to it that a transcript which is `processing` is being made, by whom the policy says; gives the recording as it is
 * then. Where nobody makes one, or there is no video, it has come to its end. Belongs inside the transaction.
 */
export const makeTranscript = Effect.fnUntraced(function* (recording: Recording) {
  const { transcripts } = yield* MediaWork
  const { transcript } = recording
  if (transcripts === "script" || transcript === null) return recording
  const file = bestVideo(recording)
  if (file !== null && transcripts === "transcriber") {
    yield* addJob(recording, "transcribe", file)
    return recording
  }
  return { ...recording, transcript: settledTranscript(transcript) }
})

/**
 * Puts the work on a video that has just come in on the schedule, in the place of the work on the one before; gives the
 * recording as it is then. Belongs inside the transaction.
 */
export const startMediaWork = Effect.fnUntraced(function* (recording: Recording) {
  const store = yield* Store
  const { processes, transcripts } = yield* MediaWork
  yield* store.mediaJobs.remove(recording.uuid)
  const file = bestVideo(recording)
  if (processes && file !== null) yield* addJob(recording, "process", file)
  if (transcripts !== "transcriber") return yield* makeTranscript(recording)
  const transcript = recording.transcript ?? noTranscript
  // One that is being made is made of the new video.
  const status = decideTranscript(transcript.status, "Requested")
  const asked = Result.isSuccess(status) ? withStatus(transcript, status.success) : transcript
  return yield* makeTranscript({ ...recording, transcript: asked })
})
