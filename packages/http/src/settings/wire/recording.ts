import type { settings } from "@tapedeck/contract"
import type { OwnedRecording } from "@tapedeck/core"
import { shownTranscript, type VideoFile } from "@tapedeck/domain"
import { type RecordingConfig, wireRecording } from "../../wire/recording.ts"

const wireFile = (file: VideoFile | null) =>
  file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }

/** A recording as v2 shows it, and where it is filed. */
export const wireManagedRecording = (owned: OwnedRecording, config: RecordingConfig): settings.Recording => {
  const { folderId, transcript, video } = owned.recording
  return {
    ...wireRecording(owned, config),
    folder_id: folderId,
    transcript_status: shownTranscript(transcript).status,
    video: {
      original: wireFile(video.original),
      processed: wireFile(video.processed),
      edited: wireFile(video.edited)
    }
  }
}
