import * as Schema from "effect/Schema"

/** A stored video file; its bytes are elsewhere, under `fileId`. */
export const VideoFile = Schema.Struct({
  fileId: Schema.String,
  /** As it came in; what is sent out is `servedContentType`. */
  contentType: Schema.String,
  sizeBytes: Schema.Natural,
  etag: Schema.String
})
export type VideoFile = typeof VideoFile.Type

export const RecordingVideo = Schema.Struct({
  original: Schema.NullOr(VideoFile),
  processed: Schema.NullOr(VideoFile),
  edited: Schema.NullOr(VideoFile),
  /** A still of it, a JPEG; absent: none was made. */
  thumbnail: Schema.optionalKey(VideoFile)
})
export type RecordingVideo = typeof RecordingVideo.Type

/** The files that a video may have. */
export const VideoVersion = Schema.Literals(["original", "processed", "edited"])
export type VideoVersion = typeof VideoVersion.Type

/** The file that a download streams: edited, else processed, else original. Null: none yet (409, R12). */
export const bestVideo = ({ video }: { readonly video: RecordingVideo }): VideoFile | null =>
  video.edited ?? video.processed ?? video.original

/** Every file that belongs to the video, the still included. */
export const filesOf = ({ edited, original, processed, thumbnail }: RecordingVideo): ReadonlyArray<VideoFile> =>
  [original, processed, edited, thumbnail ?? null].filter((file) => file !== null)

/** The files that a video no longer has. */
export const filesGone = (before: RecordingVideo, after: RecordingVideo): ReadonlyArray<VideoFile> => {
  const kept = new Set(filesOf(after).map(({ fileId }) => fileId))
  return filesOf(before).filter(({ fileId }) => !kept.has(fileId))
}

export const ServedContentType = Schema.Literals([
  "video/mp4",
  "video/webm",
  "video/quicktime",
  "application/octet-stream"
])
export type ServedContentType = typeof ServedContentType.Type

/** One of the three video types, without parameters such as `codecs`; any other type is `application/octet-stream` (R23). */
export const servedContentType = (file: Pick<VideoFile, "contentType">): ServedContentType => {
  const type = file.contentType.split(";", 1)[0]?.trim().toLowerCase()
  return type === "video/mp4" || type === "video/webm" || type === "video/quicktime" ? type : "application/octet-stream"
}
