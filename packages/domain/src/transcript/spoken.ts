import type { Voice } from "./import/cues.ts"
import type { Segment } from "./Transcript.ts"

const secondsIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

/** Returns a text, or an empty one for any other value, because sentences can have any shape. */
const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the start of a segment in seconds, with the precision of its first sentence if both agree. */
export const startOfSegment = ({ sentences, startSeconds }: Segment): number => {
  const start = secondsIn(sentences[0]?.start)
  return start !== null && Math.floor(start) === startSeconds ? start : startSeconds
}

/** Returns the exact end of a segment; null if no sentence contains it. */
export const exactEnd = ({ endSeconds, sentences }: Segment): number | null => {
  const end = secondsIn(sentences.at(-1)?.end)
  return end !== null && Math.ceil(end) === endSeconds ? end : null
}

/** Returns the voices of a segment: those of its sentences if their text is that of the segment, else one without a speaker. */
export const voicesOf = (
  { sentences, text }: Segment,
  speakerMap: Readonly<Record<string, string>>
): ReadonlyArray<Voice> => {
  const nameOf = (speaker: unknown) =>
    (typeof speaker === "string" || typeof speaker === "number") && Object.hasOwn(speakerMap, speaker)
      ? (speakerMap[speaker] ?? null)
      : null
  const voices = sentences.map((one) => ({ name: nameOf(one.speaker), text: textIn(one.text) }))
  const [only] = voices
  // Sentences may contain only the speaker, without text.
  if (voices.length === 1 && sentences[0]?.text === undefined) return [{ name: only?.name ?? null, text }]
  const isWhole = voices.map((voice) => voice.text).join(" ") === text
  return isWhole ? joined(voices) : [{ name: null, text }]
}

/** Merges consecutive sentences without a speaker. */
const joined = (voices: ReadonlyArray<Voice>): ReadonlyArray<Voice> =>
  voices.every(({ name }) => name === null) ? [{ name: null, text: voices.map(({ text }) => text).join(" ") }] : voices
