import { cueTextOf } from "./import/cueText.ts"
import { timestampOf } from "./import/times.ts"
import { exactEnd, startOfSegment, voicesOf } from "./spoken.ts"
import type { Segment, TranscriptTexts } from "./Transcript.ts"

/** Duration of the last caption if it has no end. */
const lastCueMs = 5_000

/** First line of a file of captions. */
export const webVttHead = "WEBVTT\n"

/** Returns a segment as a WebVTT cue, with the exact times and the speakers of its sentences. `next` is the next segment, or null. */
export const webVttCue = (segment: Segment, next: Segment | null, speakerMap: TranscriptTexts["speakerMap"]): string =>
  `\n${cueOf(segment, next, speakerMap)}\n`

const cueOf = (segment: Segment, next: Segment | null, speakerMap: Readonly<Record<string, string>>): string => {
  const startMs = Math.round(startOfSegment(segment) * 1000)
  const untilNext = next === null ? startMs + lastCueMs : next.startSeconds * 1000
  const endSeconds = exactEnd(segment) ?? segment.endSeconds
  const endMs = endSeconds === null ? untilNext : Math.round(endSeconds * 1000)
  const lines = voicesOf(segment, speakerMap).map(({ name, text }) =>
    name === null ? cueTextOf(text) : `<v ${cueTextOf(name)}>${cueTextOf(text)}</v>`
  )
  return `${timestampOf(startMs)} --> ${timestampOf(Math.max(startMs, endMs))}\n${lines.join(" ")}`
}
