import type { Recording } from "@tapedeck/domain"
import { cutSegments, trimOf } from "@tapedeck/domain/internal/files"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import type { RecordingPartRepository } from "../store/Store.ts"

/** Number of segments that are read at a time. */
const textSlice = 50

/** Returns the transcript's text for readers, up to the segment with which it has `length` UTF-16 code units. Segments are joined by spaces. */
export const startOfTranscript = Effect.fnUntraced(function* (
  parts: RecordingPartRepository,
  recording: Recording,
  length: number
) {
  const { id, transcript } = recording
  const { segments, source } = shownTranscript(transcript)
  if (source === null) return ""
  if (source === "legacy") return ((yield* parts.read(id, "legacyText")).legacyText ?? "").trim()
  const trim = trimOf(recording)
  let text = ""
  for (let offset = 0; offset < segments && text.length < length; offset += textSlice) {
    // The segment after the slice tells where the last one ends.
    const read = yield* parts.segments(id, source, { offset, limit: textSlice + 1 })
    const ending = read.map((segment, index) => ({
      ...segment,
      endSeconds: segment.endSeconds ?? read[index + 1]?.startSeconds ?? null
    }))
    const slice = ending.slice(0, textSlice)
    const shown = trim === undefined ? slice : cutSegments(slice, trim)
    text = [text, ...shown.map((segment) => segment.text.trim())].filter((one) => one !== "").join(" ")
  }
  return text
})
