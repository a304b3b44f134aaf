import type { Recording, Segment } from "@tapedeck/domain"
import { cutSegments, trimOf } from "@tapedeck/domain/internal/files"
import { legacySegment, shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import type { RecordingPartRepository } from "../store/Store.ts"

/** Number of segments that are read at a time. */
const textSlice = 50

/** Returns the transcript's segments for readers, up to the one with which their texts have `length` UTF-16 code units, joined by spaces. */
export const startOfSegments = Effect.fnUntraced(function* (
  parts: RecordingPartRepository,
  recording: Recording,
  length: number
): Effect.fn.Return<ReadonlyArray<Segment>> {
  const { id, transcript } = recording
  const { segments, source } = shownTranscript(transcript)
  if (source === null) return []
  if (source === "legacy") return [legacySegment((yield* parts.read(id, "legacyText")).legacyText ?? "")]
  const trim = trimOf(recording)
  const start: Array<Segment> = []
  // One more than the texts have, because the first one follows no space.
  let characters = 0
  for (let offset = 0; offset < segments && characters <= length; offset += textSlice) {
    // The segment after the slice tells where the last one ends.
    const read = yield* parts.segments(id, source, { offset, limit: textSlice + 1 })
    const ending = read.map((segment, index) => ({
      ...segment,
      endSeconds: segment.endSeconds ?? read[index + 1]?.startSeconds ?? null
    }))
    const slice = ending.slice(0, textSlice)
    const shown = trim === undefined ? slice : cutSegments(slice, trim)
    start.push(...shown)
    for (const { text } of shown) characters += text.trim() === "" ? 0 : text.trim().length + 1
  }
  return start
})

const joinedText = (segments: ReadonlyArray<Segment>): string =>
  segments
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join(" ")

/** Returns the transcript's text for readers, up to the segment with which it has `length` UTF-16 code units. Segments are joined by spaces. */
export const startOfTranscript = (parts: RecordingPartRepository, recording: Recording, length: number) =>
  Effect.map(startOfSegments(parts, recording, length), joinedText)
