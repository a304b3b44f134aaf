import * as Schema from "effect/Schema"

/** A stored video file. The bytes are in the file store, under `fileId`. */
export const VideoFile = Schema.Struct({
  fileId: Schema.String,
  /** Content type of the upload. Downloads have `servedContentType`. */
  contentType: Schema.String,
  sizeBytes: Schema.Natural,
  etag: Schema.String
})
export type VideoFile = typeof VideoFile.Type

/** Start and end of a trimmed video in the whole video, in seconds. */
export const TrimRange = Schema.Struct({ startSeconds: Schema.Finite, endSeconds: Schema.Finite })
export type TrimRange = typeof TrimRange.Type

export const TrimState = Schema.Literals(["processing", "ready", "failed"])
export type TrimState = typeof TrimState.Type

/** A trim, whose edited file is being made, is ready, or could not be made. Only a ready trim is in effect. */
export const Trim = Schema.Struct({
  ...TrimRange.fields,
  state: TrimState,
  /** Properties of the whole video, for the undo. Present if the trim is ready. */
  whole: Schema.optionalKey(
    Schema.Struct({ durationSeconds: Schema.NullOr(Schema.Natural), thumbnail: Schema.NullOr(VideoFile) })
  )
})
export type Trim = typeof Trim.Type

/** State of work on a video, and the reason if it was given up. */
export const VideoWork = Schema.Struct({
  state: Schema.Literals(["processing", "ready", "given_up"]),
  problem: Schema.optionalKey(Schema.String)
})
export type VideoWork = typeof VideoWork.Type

/** The state of each kind of work on a video. */
export const MediaWorkStates = Schema.Struct({
  process: Schema.optionalKey(VideoWork),
  transcribe: Schema.optionalKey(VideoWork),
  trim: Schema.optionalKey(VideoWork),
  /** The generation of title, summary and chapters. */
  summarize: Schema.optionalKey(VideoWork)
})
export type MediaWorkStates = typeof MediaWorkStates.Type

export const RecordingVideo = Schema.Struct({
  original: Schema.NullOr(VideoFile),
  processed: Schema.NullOr(VideoFile),
  edited: Schema.NullOr(VideoFile),
  /** Thumbnail, as JPEG; absent if none was created. */
  thumbnail: Schema.optionalKey(VideoFile),
  /** Files of further runs of the recorder, after the original; absent if there were none. */
  parts: Schema.optionalKey(Schema.Array(VideoFile)),
  /** Trim of the video; absent if it was not trimmed. */
  trim: Schema.optionalKey(Trim)
})
export type RecordingVideo = typeof RecordingVideo.Type

/** Returns the recording with the state of one kind of work. */
export const withWork = <One extends { readonly work?: MediaWorkStates }>(
  recording: One,
  kind: keyof MediaWorkStates,
  work: VideoWork
): One => ({ ...recording, work: { ...recording.work, [kind]: work } })

/** Versions of a video file. */
export const VideoVersion = Schema.Literals(["original", "processed", "edited"])
export type VideoVersion = typeof VideoVersion.Type

/** Returns the file for downloads: edited, else processed, else original; null if there is none yet. */
export const bestVideo = ({ video }: { readonly video: RecordingVideo }): VideoFile | null =>
  video.edited ?? video.processed ?? video.original

/** Returns the file of the whole video, even if it is trimmed. */
export const wholeVideo = ({ video }: { readonly video: RecordingVideo }): VideoFile | null =>
  video.trim === undefined ? bestVideo({ video }) : (video.processed ?? video.original)

/** Returns the trim that is in effect. */
export const trimOf = ({ video: { trim } }: { readonly video: RecordingVideo }): Trim | undefined =>
  trim?.state === "ready" ? trim : undefined

/** Returns all files of the video, including thumbnails. */
export const filesOf = ({
  edited,
  original,
  parts = [],
  processed,
  thumbnail,
  trim
}: RecordingVideo): ReadonlyArray<VideoFile> =>
  [original, processed, edited, thumbnail ?? null, trim?.whole?.thumbnail ?? null, ...parts].filter(
    (file) => file !== null
  )

/** Returns the files that a video no longer has. */
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

/** Returns one of the three video types, without parameters such as `codecs`; `application/octet-stream` for any other type. */
export const servedContentType = (file: Pick<VideoFile, "contentType">): ServedContentType => {
  const type = file.contentType.split(";", 1)[0]?.trim().toLowerCase()
  return type === "video/mp4" || type === "video/webm" || type === "video/quicktime" ? type : "application/octet-stream"
}
