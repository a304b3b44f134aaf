import type { Json, JsonObject } from "../../json.ts"
import { isMissing, Wrong } from "./jsonFields.ts"

export type Shape = "assemblyai" | "aws" | "chunks" | "deepgram" | "segments" | "text" | "whisper.cpp"

const isList = (value: Json | undefined): value is Array<Json> => Array.isArray(value)

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const has = (given: JsonObject, ...keys: ReadonlyArray<string>): boolean => keys.some((key) => !isMissing(given[key]))

/** Recognizers whose documents are known and not supported, with a test for each. */
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

/** Keys of documents with segments or a text. */
const plain = [
  ...["segments", "text", "words", "speaker_map", "language", "duration", "status", "recording_uuid", "task"],
  ...["pagination", "usage", "x_groq", "logprobs", "language_probs", "metadata"],
  // WhisperX, stable-ts, whisper-timestamped: the words or the segments again, and where nothing is said.
  ...["word_segments", "ori_dict", "nonspeech_sections", "speech_activity"]
]

/** The keys of each shape that are read, or that have no spoken text, or repeat it; including those of `results`. */
const known: Readonly<Record<Shape, ReadonlySet<string>>> = {
  segments: new Set(plain),
  text: new Set(plain),
  chunks: new Set(["text", "chunks", "speakers"]),
  "whisper.cpp": new Set(["transcription", "result", "model", "params"]),
  assemblyai: new Set([
    ...["text", "words", "utterances", "speaker_options", "language_detection_options", "language_detection_results"],
    ...["custom_spelling", "redact_pii_audio_options", "speech_understanding", "translated_texts", "metadata"],
    // Results that were derived from the text.
    ...["auto_highlights_result", "chapters", "content_safety_labels", "entities", "iab_categories_result", "topics"],
    "sentiment_analysis_results"
  ]),
  aws: new Set([
    ...["results", "transcripts", "items", "audio_segments", "speaker_labels", "channel_labels"],
    ...["language_codes", "language_identification", "toxicity_detection", "entities"]
  ]),
  deepgram: new Set([
    ...["metadata", "results", "channels", "utterances"],
    ...["entities", "intents", "sentiments", "summary", "topics"]
  ])
}

/** Returns the shape of a document. Refuses an unsupported one, with its name or with the content that would be lost. */
export const shapeOf = (document: JsonObject): Shape => {
  const name = unread.find(([, is]) => is(document))?.[0]
  if (name !== undefined) throw new Wrong([], `transcripts of ${name} are not read: ${instead}`)
  if (isObject(document.results)) {
    const shape = isList(document.results.channels) ? "deepgram" : "aws"
    if (shape === "deepgram" || has(document.results, "transcripts", "items")) {
      return whole(document.results, whole(document, shape))
    }
  }
  if (isList(document.transcription)) return whole(document, "whisper.cpp")
  if (
    has(document, "segments") &&
    !(isList(document.segments) && document.segments.length === 0 && has(document, "words"))
  ) {
    return whole(document, "segments")
  }
  if (isList(document.chunks) || isList(document.speakers)) return whole(document, "chunks")
  const isAssemblyAi = document.status === "completed" || has(document, ...marksOfAssemblyAi)
  if (isAssemblyAi && (has(document, "text", "words", "error") || isList(document.utterances)))
    return whole(document, "assemblyai")
  return whole(document, "text")
}

const instead = "send WebVTT or SubRip, or one of the shapes in docs/media.md"

/** Refuses a document with objects under another key, because they may contain spoken text that is not read. */
const whole = (given: JsonObject, shape: Shape): Shape => {
  const key = Object.keys(given).find((one) => !known[shape].has(one) && holdsObjects(given[one]))
  if (key === undefined) return shape
  throw new Wrong([], `${JSON.stringify(key.slice(0, 100))} is not read: ${instead}`)
}

/** Returns whether the value contains an object. */
const holdsObjects = (value: Json | undefined): boolean => {
  const waiting: Array<Json> = value === undefined ? [] : [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (isObject(one)) return true
    if (isList(one)) for (const item of one) if (typeof item === "object" && item !== null) waiting.push(item)
  }
  return false
}
