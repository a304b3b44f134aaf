import type { Json, JsonObject } from "../../json.ts"
import { isMissing, Wrong } from "./jsonFields.ts"

export type Shape = "assemblyai" | "aws" | "chunks" | "deepgram" | "segments" | "text" | "whisper.cpp"

const isList = (value: Json | undefined): value is Array<Json> => Array.isArray(value)

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const has = (given: JsonObject, ...keys: ReadonlyArray<string>): boolean => keys.some((key) => !isMissing(given[key]))

/** Recognizers whose documents are known and not read, and how one is recognized. */
const unread: ReadonlyArray<readonly [name: string, is: (given: JsonObject) => boolean]> = [
  ["ElevenLabs", (given) => has(given, "language_probability") && isList(given.words) && !isList(given.segments)],
  [
    "Gladia",
    (given) => has(given, "full_transcript") || (isObject(given.result) && has(given.result, "transcription"))
  ],
  ["Rev AI", (given) => has(given, "monologues")],
  ["Azure Speech", (given) => has(given, "recognizedPhrases", "combinedRecognizedPhrases", "combinedPhrases", "NBest")],
  ["Speechmatics", (given) => isList(given.results) && has(given, "format")],
  ["Google Speech-to-Text", (given) => isList(given.results)],
  ["Vosk", (given) => isList(given.result)]
]

const marksOfAssemblyAi = ["utterances", "audio_url", "acoustic_model", "audio_duration", "language_code"]

/** What documents with segments or a text may have besides, where it holds nothing that was said, or says it again. */
const besides = new Set([
  ...["segments", "text", "words", "speaker_map", "language", "duration", "status", "recording_uuid", "task"],
  ...["pagination", "usage", "x_groq", "logprobs", "language_probs", "metadata"],
  // WhisperX, stable-ts, whisper-timestamped: the words or the segments again, and where nothing is said.
  ...["word_segments", "ori_dict", "nonspeech_sections", "speech_activity"]
])

/** The shape of a document. Refuses one that is in none that is read, by its name or by what would be lost of it. */
export const shapeOf = (given: JsonObject): Shape => {
  const name = unread.find(([, is]) => is(given))?.[0]
  if (name !== undefined) throw new Wrong([], `transcripts of ${name} are not read: ${instead}`)
  if (isObject(given.results)) {
    if (isList(given.results.channels)) return "deepgram"
    if (isList(given.results.transcripts) || isList(given.results.items)) return "aws"
  }
  if (isList(given.transcription)) return "whisper.cpp"
  if (has(given, "segments") && !(isList(given.segments) && given.segments.length === 0 && has(given, "words"))) {
    return whole(given, "segments")
  }
  if (isList(given.chunks) || isList(given.speakers)) return "chunks"
  const isAssemblyAi = given.status === "completed" || has(given, ...marksOfAssemblyAi)
  if (isAssemblyAi && (has(given, "text", "words", "error") || isList(given.utterances))) return "assemblyai"
  return whole(given, "text")
}

const instead = "send WebVTT or SubRip, or one of the shapes in docs/media.md"

/** Refuses a document that has objects under another key, because they may say more than what is read. */
const whole = (given: JsonObject, shape: Shape): Shape => {
  const key = Object.keys(given).find((one) => !besides.has(one) && holdsObjects(given[one]))
  if (key === undefined) return shape
  throw new Wrong([], `${JSON.stringify(key.slice(0, 100))} is not read: ${instead}`)
}

/** Whether the value has an object in it. */
const holdsObjects = (value: Json | undefined): boolean => {
  const waiting: Array<Json> = value === undefined ? [] : [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (isObject(one)) return true
    if (isList(one)) for (const item of one) if (typeof item === "object" && item !== null) waiting.push(item)
  }
  return false
}
