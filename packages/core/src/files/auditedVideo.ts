import type { RecordingVideo } from "@tapedeck/domain"
import { bestVideo } from "@tapedeck/domain/internal/files"

/** The served file in the form of the audit log. */
export const auditedVideo = (video: RecordingVideo) => {
  const file = bestVideo({ video })
  return file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }
}

/** The trim in the form of the audit log. */
export const auditedTrim = ({ trim }: RecordingVideo) =>
  trim === undefined ? null : { start_seconds: trim.startSeconds, end_seconds: trim.endSeconds, state: trim.state }
