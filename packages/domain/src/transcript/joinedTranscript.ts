import { cutSegments } from "../files/trim.ts"
import type { Json, JsonObject } from "../json.ts"
import type { RecognizedTranscript, Segment } from "./Transcript.ts"

/** The transcript of a part of a recording, with times relative to the part. */
export interface TranscriptPart {
  /** Start and end of the part in the recording, in seconds. */
  readonly startSeconds: number
  readonly endSeconds: number
  readonly transcript: RecognizedTranscript
}

type SpeakerMap = RecognizedTranscript["speakerMap"]

/**
 * Joins the transcripts of a recording whose parts were recognized one by one. A segment without an end ends with its part. Recognizers
 * number speakers from the start in each part, so speakers of different parts are different, even with the same label.
 */
export const joinedTranscript = (parts: ReadonlyArray<TranscriptPart>): RecognizedTranscript => {
  const speakerMap: Record<string, string> = {}
  const segments: Array<Segment> = []
  for (const { endSeconds, startSeconds, transcript } of parts) {
    const keys = new Map<string, string>()
    for (const [key, name] of Object.entries(transcript.speakerMap)) {
      const free = Object.hasOwn(speakerMap, key) ? unusedKey(speakerMap, transcript.speakerMap) : key
      keys.set(key, free)
      speakerMap[free] = name
    }
    const range = { startSeconds: -startSeconds, endSeconds: Number.POSITIVE_INFINITY }
    for (const segment of cutSegments(transcript.segments, range)) {
      const sentences = segment.sentences.map((sentence) => withSpeaker(sentence, keys))
      segments.push({ ...segment, endSeconds: segment.endSeconds ?? Math.ceil(endSeconds), sentences })
    }
  }
  const language = parts.find(({ transcript }) => transcript.language !== null)?.transcript.language ?? null
  return { language, speakerMap, segments }
}

const unusedKey = (...maps: ReadonlyArray<SpeakerMap>): string => {
  for (let number = 0; ; number++) {
    if (maps.every((map) => !Object.hasOwn(map, String(number)))) return String(number)
  }
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withSpeaker = (spoken: JsonObject, keys: ReadonlyMap<string, string>): JsonObject => {
  const { speaker, words } = spoken
  const key = typeof speaker === "number" || typeof speaker === "string" ? keys.get(String(speaker)) : undefined
  return {
    ...spoken,
    ...(key !== undefined && { speaker: typeof speaker === "number" ? Number(key) : key }),
    ...(Array.isArray(words) && {
      words: (words as ReadonlyArray<Json>).map((word) => (isObject(word) ? withSpeaker(word, keys) : word))
    })
  }
}
