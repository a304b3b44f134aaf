import { cueTextOf } from "./import/cueText.ts"
import { timestampOf } from "./import/times.ts"
import type { ReadableTranscript, Segment } from "./Transcript.ts"

/** How long a caption stays whose end nobody knows, and after which no other comes. */
const lastCueMs = 5_000

/** A transcript as WebVTT captions: by exact times and speakers where its sentences have them. */
export const webVttOf = ({ segments, speakerMap }: Pick<ReadableTranscript, "segments" | "speakerMap">): string => {
  const cues = segments.map((segment, index) => cueOf(segment, segments[index + 1], speakerMap))
  return `${["WEBVTT", ...cues].join("\n\n")}\n`
}

const cueOf = (segment: Segment, next: Segment | undefined, speakerMap: Readonly<Record<string, string>>): string => {
  const { end, start } = exactTimes(segment)
  const startMs = Math.round((start ?? segment.startSeconds) * 1000)
  const untilNext = next === undefined ? startMs + lastCueMs : next.startSeconds * 1000
  const endSeconds = end ?? segment.endSeconds
  const endMs = endSeconds === null ? untilNext : Math.round(endSeconds * 1000)
  return `${timestampOf(startMs)} --> ${timestampOf(Math.max(startMs, endMs))}\n${textOf(segment, speakerMap)}`
}

const numberAt = (value: unknown): number | null => (typeof value === "number" && value >= 0 ? value : null)

/** The exact times of a segment, as far as its sentences tell: of the first the start, of the last the end. */
const exactTimes = ({ endSeconds, sentences, startSeconds }: Segment) => {
  const start = numberAt(sentences[0]?.start)
  const end = numberAt(sentences.at(-1)?.end)
  return {
    // Edited rows may have been moved; then what was recognized once is of no use.
    start: start !== null && Math.floor(start) === startSeconds ? start : null,
    end: end !== null && Math.ceil(end) === endSeconds ? end : null
  }
}

const textOf = ({ sentences, text }: Segment, speakerMap: Readonly<Record<string, string>>): string => {
  const voices = sentences.map(({ speaker, text }) => ({ name: speakerMap[String(speaker)] ?? null, text }))
  const isWhole = voices.map((voice) => voice.text).join(" ") === text
  if (!isWhole || voices.every(({ name }) => name === null)) return cueTextOf(text)
  return voices
    .map(({ name, text }) => {
      const said = cueTextOf(String(text))
      return name === null ? said : `<v ${cueTextOf(name)}>${said}</v>`
    })
    .join(" ")
}
