import type { Recording } from "@tapedeck/domain"
import { withWork } from "@tapedeck/domain/internal/files"
import { jobIds, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import type { MediaWork } from "../../files/media/MediaWork.ts"
import { now } from "../../now.ts"
import { storeOf } from "../../store/Store.ts"

/** The reason why title, summary and chapters cannot be generated; null if they can. */
export const summaryObstacle = (
  { transcript }: Recording,
  { summarizes = false }: MediaWork
): "no_summarizer" | "no_transcript" | null => {
  if (!summarizes) return "no_summarizer"
  return shownTranscript(transcript).source === null ? "no_transcript" : null
}

/**
 * Schedules the generation of title, summary and chapters, in the place of one in progress, and returns the recording as it is then.
 * Without a summarizer or a transcript it changes nothing. Inside the transaction.
 */
export const startSummary = Effect.fnUntraced(function* (
  recording: Recording,
  mediaWork: MediaWork,
  siteId: string | null = null
) {
  if (summaryObstacle(recording, mediaWork) !== null) return recording
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
