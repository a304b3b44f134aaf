import type { RecordingTranscript } from "@tapedeck/contract"
import type { TranscriptPage } from "@tapedeck/core"
import type { Segment } from "@tapedeck/domain"
import { wirePagination } from "../../responses.ts"

/** A page of a transcript as v2 shows it (specification, RecordingTranscript). */
export const wireTranscript = (page: TranscriptPage): RecordingTranscript => ({
  recording_uuid: page.recordingUuid,
  status: page.status,
  language: page.language,
  speaker_map: page.speakerMap,
  pagination: wirePagination(page.pagination),
  segments: page.segments.map(wireSegment)
})

export const wireSegment = (segment: Segment): RecordingTranscript["segments"][number] => ({
  start_seconds: segment.startSeconds,
  end_seconds: segment.endSeconds,
  text: segment.text,
  sentences: segment.sentences
})
