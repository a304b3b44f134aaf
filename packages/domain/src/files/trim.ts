import type { LogHeader } from "../capture/log.ts"
import type { Json, JsonObject } from "../json.ts"
import { nearestInstant, parseIso, toIso } from "../time.ts"
import type { Segment } from "../transcript/Transcript.ts"
import type { RecordingVideo, Trim, TrimRange, VideoFile } from "./video.ts"

/** Minimum length of a trimmed video, in seconds. */
export const MIN_TRIMMED_SECONDS = 1
/** Maximum end of a trim, in seconds: one day. */
export const MAX_TRIM_SECONDS = 86_400

const lengthOf = ({ endSeconds, startSeconds }: TrimRange): number => endSeconds - startSeconds

/** Returns the duration of a trimmed recording, in seconds. */
export const trimmedDuration = (range: TrimRange): number => Math.max(1, Math.round(lengthOf(range)))

export const isSameRange = (range: TrimRange, other: TrimRange): boolean =>
  range.startSeconds === other.startSeconds && range.endSeconds === other.endSeconds

interface Trimmable {
  readonly video: RecordingVideo
  readonly durationSeconds: number | null
}

/** Files of a trim. `thumbnail` is null if it could not be created, and undefined if that of the whole video is kept. */
export interface TrimmedVideo {
  readonly edited: VideoFile
  readonly durationSeconds: number
  readonly thumbnail: VideoFile | null | undefined
}

const withThumbnail = ({ thumbnail: _, ...video }: RecordingVideo, thumbnail: VideoFile | null): RecordingVideo =>
  thumbnail === null ? video : { ...video, thumbnail }

/** Returns the recording with the trim in effect: the edited file is served, and the whole video is kept for the undo. */
export const withTrimmed = (
  { durationSeconds, video }: Trimmable,
  trim: Trim,
  { durationSeconds: length, edited, thumbnail }: TrimmedVideo
): Trimmable => {
  const before = video.thumbnail ?? null
  const ready: Trim = { ...trim, state: "ready", whole: { durationSeconds, thumbnail: before } }
  const next = withThumbnail(video, thumbnail === undefined ? before : thumbnail)
  return { durationSeconds: length, video: { ...next, edited, trim: ready } }
}

/** Returns the recording with the whole video, as before the trim. */
export const untrimmed = ({ durationSeconds, video }: Trimmable): Trimmable => {
  const { trim, ...rest } = video
  if (trim?.whole === undefined) return { durationSeconds, video: rest }
  const { whole } = trim
  return { durationSeconds: whole.durationSeconds, video: { ...withThumbnail(rest, whole.thumbnail), edited: null } }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns whether a sentence or word is heard in the range; true without times. */
const isHeard = ({ end, start }: JsonObject, { endSeconds, startSeconds }: TrimRange): boolean =>
  !(typeof start === "number" && start >= endSeconds) && !(typeof end === "number" && end <= startSeconds)

const shifted = (part: JsonObject, range: TrimRange): JsonObject => {
  const moved = (value: Json | undefined) =>
    typeof value === "number"
      ? Math.round(Math.min(Math.max(value - range.startSeconds, 0), lengthOf(range)) * 1_000) / 1_000
      : value
  const { end, start, words } = part
  return {
    ...part,
    ...(start !== undefined && { start: moved(start) as Json }),
    ...(end !== undefined && { end: moved(end) as Json }),
    ...(Array.isArray(words) && { words: cutParts(words as ReadonlyArray<Json>, range) })
  }
}

const cutParts = (parts: ReadonlyArray<Json>, range: TrimRange): Array<Json> => {
  const kept = parts.filter((part) => !isObject(part) || isHeard(part, range))
  return kept.map((part) => (isObject(part) ? shifted(part, range) : part))
}

/**
 * Returns the segments that are heard in the range, with times relative to its start. A segment that extends beyond the range keeps its
 * whole text; its sentences and words are cut by their own times.
 */
export const cutSegments = (segments: ReadonlyArray<Segment>, range: TrimRange): ReadonlyArray<Segment> =>
  segments.flatMap((segment, index) => {
    const { endSeconds, sentences, startSeconds } = segment
    const end = endSeconds ?? segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY
    if (startSeconds >= range.endSeconds || end <= range.startSeconds) return []
    const length = Math.ceil(lengthOf(range))
    return [
      {
        ...segment,
        startSeconds: Math.max(0, Math.floor(startSeconds - range.startSeconds)),
        endSeconds: endSeconds === null ? null : Math.min(length, Math.ceil(endSeconds - range.startSeconds)),
        sentences: cutParts(sentences, range) as ReadonlyArray<JsonObject>
      }
    ]
  })

/** The events of a log, or its lines. */
interface CuttableLog<Event> {
  readonly header: LogHeader
  readonly events: ReadonlyArray<Event>
}

/** Returns the log of the range, with times relative to its start. Events before the video are kept only if the start is not cut. */
export const cutLog = <Event extends { readonly t: number }>(
  { events, header }: CuttableLog<Event>,
  range: TrimRange
): CuttableLog<Event> => {
  const [from, to] = [Math.round(range.startSeconds * 1_000), Math.round(range.endSeconds * 1_000)]
  const isIn = ({ t }: Event) => t < to && (t >= from || from === 0)
  const start = parseIso(header.started_at)
  return {
    header: start === undefined ? header : { ...header, started_at: toIso(nearestInstant(start + from)) },
    events: events.filter(isIn).map((event) => ({ ...event, t: event.t - from }))
  }
}
