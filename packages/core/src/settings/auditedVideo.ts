import { bestVideo, type RecordingVideo } from "@tapedeck/domain"

/** The file that is served, as the audit log tells of it. */
export const auditedVideo = (video: RecordingVideo) => {
  const file = bestVideo({ video })
  return file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }
}
