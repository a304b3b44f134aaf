import type { Recording } from "@tapedeck/domain"
import { withWork } from "@tapedeck/domain/internal/files"
import { jobIds, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { now } from "../../now.ts"
import { storeOf } from "../../store/Store.ts"

export interface SummaryPolicy {
  /** True if title, summary and chapters are generated from transcripts. Default: false. */
  readonly summarizes?: boolean
}

/** Reason why no texts can be generated: the server has no summarizer, or the recording has no transcript. */
export type SummaryObstacle = "no_summarizer" | "no_transcript"

/** The reason why title, summary and chapters cannot be generated; null if they can. */
export const summaryObstacle = (
  { transcript }: Recording,
  { summarizes = false }: SummaryPolicy
): SummaryObstacle | null => {
  if (!summarizes) return "no_summarizer"
  return shownTranscript(transcript).source === null ? "no_transcript" : null
}

/**
 * Schedules the generation of title, summary and chapters, in the place of one in progress, and returns the recording as it is then.
 * Without a summarizer or a transcript it changes nothing. Inside the transaction.
 */
export const startSummary = Effect.fnUntraced(function* (
  recording: Recording,
  policy: SummaryPolicy,
  siteId: string | null = null
) {
  return summaryObstacle(recording, policy) === null ? yield* enqueued(recording, siteId) : recording
})

/**
 * Starts the generation again after an edit of the transcript, if texts were generated or are being generated, and returns the recording as
 * it is then. A result of the text before the edit is dropped. An edit that leaves no text ends the generation. Inside the transaction.
 */
export const renewSummary = Effect.fnUntraced(function* (recording: Recording, { summarizes = false }: SummaryPolicy) {
  const isConcerned = recording.generated !== undefined || recording.work?.summarize?.state === "processing"
  return summarizes && isConcerned ? yield* enqueued(recording, null) : recording
})

const enqueued = Effect.fnUntraced(function* (recording: Recording, siteId: string | null) {
  const { accountId, uuid } = recording
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.enqueue({
    kind: "summarize",
    id: jobIds.summary(uuid),
    queueKey: queueKeyOf("summarize", accountId, siteId),
    recordingUuid: uuid,
    failedTries: 0,
    dueAt: yield* now
  })
  return withWork(recording, "summarize", { state: "processing" })
})
