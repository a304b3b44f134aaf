import type { Voice } from "./import/cues.ts"
import type { Segment } from "./Transcript.ts"

const secondsIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

/** Sentences are anybody's: what is no text says nothing. */
const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** Where a segment begins, in seconds: as exactly as its first sentence tells, if that still is where it begins. */
export const startOfSegment = ({ sentences, startSeconds }: Segment): number => {
  const start = secondsIn(sentences[0]?.start)
  return start !== null && Math.floor(start) === startSeconds ? start : startSeconds
}

/** The same of its end; null where no sentence tells. */
export const exactEnd = ({ endSeconds, sentences }: Segment): number | null => {
  const end = secondsIn(sentences.at(-1)?.end)
  return end !== null && Math.ceil(end) === endSeconds ? end : null
}

/** Who says what in a segment: by its sentences, if they say what it says, else as a whole and by nobody in particular. */
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
  // Sentences may be bare notes of who speaks, without the words.
  if (voices.length === 1 && sentences[0]?.text === undefined) return [{ name: only?.name ?? null, text }]
  const isWhole = voices.map((voice) => voice.text).join(" ") === text
  return isWhole ? joined(voices) : [{ name: null, text }]
}

/** Sentences of nobody in particular that follow each other are one. */
const joined = (voices: ReadonlyArray<Voice>): ReadonlyArray<Voice> =>
  voices.every(({ name }) => name === null) ? [{ name: null, text: voices.map(({ text }) => text).join(" ") }] : voices
