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

/** Where a trimmed video begins and ends in the whole one, in seconds. */
export const TrimRange = Schema.Struct({ startSeconds: Schema.Finite, endSeconds: Schema.Finite })
export type TrimRange = typeof TrimRange.Type

export const TrimState = Schema.Literals(["processing", "ready", "failed"])
export type TrimState = typeof TrimState.Type

/** A trim: its edited file is being made, is there, or could not be made. Only one that is ready is in force. */
export const Trim = Schema.Struct({
  ...TrimRange.fields,
  state: TrimState,
  /** What the whole video had, for the undo; there when it is ready. */
  whole: Schema.optionalKey(
    Schema.Struct({ durationSeconds: Schema.NullOr(Schema.Natural), thumbnail: Schema.NullOr(VideoFile) })
  )
})
export type Trim = typeof Trim.Type

/** The state of work on a video, and why it was given up. */
export const VideoWork = Schema.Struct({
  state: Schema.Literals(["processing", "ready", "given_up"]),
  problem: Schema.optionalKey(Schema.String)
})
export type VideoWork = typeof VideoWork.Type

/** The state of each kind of work on a video. */
export const MediaWorkStates = Schema.Struct({
  process: Schema.optionalKey(VideoWork),
  transcribe: Schema.optionalKey(VideoWork),
  trim: Schema.optionalKey(VideoWork)
})
export type MediaWorkStates = typeof MediaWorkStates.Type

export const RecordingVideo = Schema.Struct({
  original: Schema.NullOr(VideoFile),
  processed: Schema.NullOr(VideoFile),
  edited: Schema.NullOr(VideoFile),
  /** A still of it, a JPEG; absent: none was made. */
  thumbnail: Schema.optionalKey(VideoFile),
  /** Further runs of the recorder, after the original; absent: there were none. */
  parts: Schema.optionalKey(Schema.Array(VideoFile)),
  /** Absent: it was not trimmed. */
  trim: Schema.optionalKey(Trim)
})
export type RecordingVideo = typeof RecordingVideo.Type

/** The recording with the state of one kind of work. */
export const withWork = <One extends { readonly work?: MediaWorkStates }>(
  recording: One,
  kind: keyof MediaWorkStates,
  work: VideoWork
): One => ({ ...recording, work: { ...recording.work, [kind]: work } })

/** The files that a video may have. */
export const VideoVersion = Schema.Literals(["original", "processed", "edited"])
export type VideoVersion = typeof VideoVersion.Type

/** The file that a download streams: edited, else processed, else original. Null: none yet (409). */
export const bestVideo = ({ video }: { readonly video: RecordingVideo }): VideoFile | null =>
  video.edited ?? video.processed ?? video.original

/** The file that the whole video is in, also where it is trimmed. */
export const wholeVideo = ({ video }: { readonly video: RecordingVideo }): VideoFile | null =>
  video.trim === undefined ? bestVideo({ video }) : (video.processed ?? video.original)

/** The trim that is in force. */
export const trimOf = ({ video: { trim } }: { readonly video: RecordingVideo }): Trim | undefined =>
  trim?.state === "ready" ? trim : undefined

/** Every file that belongs to the video, the stills included. */
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

/** One of the three video types, without parameters such as `codecs`; any other type is `application/octet-stream`. */
export const servedContentType = (file: Pick<VideoFile, "contentType">): ServedContentType => {
  const type = file.contentType.split(";", 1)[0]?.trim().toLowerCase()
  return type === "video/mp4" || type === "video/webm" || type === "video/quicktime" ? type : "application/octet-stream"
}
