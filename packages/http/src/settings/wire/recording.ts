import type { settings } from "@tapedeck/contract"
import type { OwnedRecording } from "@tapedeck/core"
import { type Recording, readTranscript, type VideoFile } from "@tapedeck/domain"
import { type RecordingConfig, wireRecording } from "../../wire/recording.ts"
import { wireSegment } from "../../wire/transcript.ts"

const wireFile = (file: VideoFile | null) =>
  file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }

/** A recording as v2 shows it, and where it is filed. */
export const wireManagedRecording = (owned: OwnedRecording, config: RecordingConfig): settings.Recording => {
  const { folderId, transcript, video } = owned.recording
  return {
    ...wireRecording(owned, config),
    folder_id: folderId,
    transcript_status: readTranscript(transcript).status,
    video: {
      original: wireFile(video.original),
      processed: wireFile(video.processed),
      edited: wireFile(video.edited)
    }
  }
}

/** A whole transcript, as a reader sees it (R13, R14). */
export const wireWholeTranscript = ({ transcript, uuid }: Recording): settings.Transcript => {
  const { language, segments, speakerMap, status } = readTranscript(transcript)
  return { recording_uuid: uuid, status, language, speaker_map: speakerMap, segments: segments.map(wireSegment) }
}
