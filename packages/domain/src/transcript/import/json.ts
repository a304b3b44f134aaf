import * as Result from "effect/Result"
import { isJsonWithinDepth, type Json, type JsonObject, MAX_JSON_DEPTH } from "../../json.ts"
import { languageTagOf } from "../language.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"
import { Speakers, wholeSeconds } from "./cues.ts"
import { type PlacedJson, parsePlacedJson } from "./placedJson.ts"
import { problemAt, type TranscriptUnreadable } from "./problem.ts"

/** Something in the document is not what it must be; `part` is the object or list that it is in. */
class Wrong {
  readonly part: unknown
  readonly problem: string
  constructor(part: unknown, problem: string) {
    this.part = part
    this.problem = problem
  }
}

/**
 * Reads a transcript as this API writes it (`start_seconds`, `end_seconds`, `text`, `sentences`), or as recognizers write
 * theirs (`verbose_json`: `start`, `end`, `text`, with `words` and `speaker` where there are any). A document with a text
 * and no segments is one segment; a list is the segments alone.
 */
export const parseTranscriptJson = (text: string): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  const quick = quickJson(text)
  if (quick !== undefined) {
    const read = readDocument(quick)
    if (Result.isSuccess(read)) return Result.succeed(read.success)
  }
  // Again, and slowly, to know where it is wrong.
  return Result.flatMap(parsePlacedJson(text), ({ offsetOf, value }: PlacedJson) =>
    Result.mapError(readDocument(value), ({ part, problem }) => problemAt(text, offsetOf(part), problem))
  )
}

const quickJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json
  } catch {
    return undefined
  }
}

const readDocument = (value: Json): Result.Result<RecognizedTranscript, Wrong> => {
  try {
    return Result.succeed(
      transcriptIn(Array.isArray(value) ? { segments: value } : objectIn(value, "a transcript", value))
    )
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(wrong)
  }
}

const transcriptIn = (document: JsonObject): RecognizedTranscript => {
  const { language, segments, speaker_map, text, words } = document
  const given = speakerMapIn(document, speaker_map)
  const speakers = new Speakers()
  const speakerOf = (label: string): string => (Object.hasOwn(given, label) ? label : speakers.numberOf(label))
  const rows = segments ?? wholeText(document, text)
  if (!Array.isArray(rows)) throw new Wrong(document, "segments must be a list")
  const allWords =
    words === undefined || words === null ? [] : wordsIn(document, words).toSorted((a, b) => a.start - b.start)
  const read = rows.map((row, index) =>
    segmentIn(objectIn(row, `segments[${index}]`, rows), `segments[${index}]`, allWords, speakerOf)
  )
  return {
    language: typeof language === "string" ? languageTagOf(language) : null,
    speakerMap: { ...given, ...speakers.map },
    segments: read.filter((one) => one.text !== "")
  }
}

/** What a recognizer answers that tells no times. */
const wholeText = (document: JsonObject, text: Json | undefined): Json => {
  if (typeof text !== "string") throw new Wrong(document, "it must have segments, or a text")
  return [{ start: 0, end: null, text, sentences: [] }]
}

const speakerMapIn = (document: JsonObject, map: Json | undefined): Readonly<Record<string, string>> => {
  if (map === undefined || map === null) return {}
  const names = objectIn(map, "speaker_map", document)
  for (const [key, name] of Object.entries(names)) {
    if (typeof name !== "string") throw new Wrong(names, `speaker_map.${key} must be a string`)
  }
  return names as Readonly<Record<string, string>>
}

const segmentIn = (
  row: JsonObject,
  path: string,
  allWords: ReadonlyArray<Word>,
  speakerOf: (label: string) => string
): Segment => {
  const start = timeIn(row, path, ["start_seconds", "start"])
  if (start === null) throw new Wrong(row, `${path} must have start_seconds, or start`)
  const end = timeIn(row, path, ["end_seconds", "end"])
  if (end !== null && end < start) throw new Wrong(row, `${path} ends before it starts`)
  if (typeof row.text !== "string") throw new Wrong(row, `${path}.text must be a string`)
  const text = row.text.trim()
  const times = wholeSeconds(start, end)
  if (row.sentences !== undefined) return { ...times, text, sentences: sentencesIn(row, path, row.sentences) }
  const own = row.words === undefined || row.words === null ? null : wordsIn(row, row.words)
  const words = own ?? wordsBetween(allWords, start, end)
  const label = row.speaker
  const speaker = typeof label === "string" || typeof label === "number" ? speakerOf(String(label)) : undefined
  const sentence: JsonObject = {
    text,
    start,
    end,
    ...(speaker === undefined ? {} : { speaker }),
    ...(words.length === 0 ? {} : { words: words.map((word) => ({ ...word })) })
  }
  return { ...times, text, sentences: [sentence] }
}

const sentencesIn = (row: JsonObject, path: string, sentences: Json): ReadonlyArray<JsonObject> => {
  if (!Array.isArray(sentences)) throw new Wrong(row, `${path}.sentences must be a list`)
  if (!isJsonWithinDepth(sentences)) {
    throw new Wrong(row, `${path}.sentences may be nested at most ${MAX_JSON_DEPTH} deep`)
  }
  return sentences.map((one, index) => objectIn(one, `${path}.sentences[${index}]`, sentences))
}

type Word = { readonly word: string; readonly start: number; readonly end: number | null }

/** Words without a time (of which recognizers are not sure) are left out. */
const wordsIn = (part: JsonObject, words: Json): ReadonlyArray<Word> => {
  if (!Array.isArray(words)) throw new Wrong(part, "words must be a list")
  return words.flatMap((one) => {
    const { end, start, word } = objectIn(one, "a word", words)
    if (typeof word !== "string" || typeof start !== "number") return []
    return [{ word: word.trim(), start, end: typeof end === "number" ? end : null }]
  })
}

/** Of words in order, those that start in between: there may be 100,000, and 10,000 such stretches. */
const wordsBetween = (words: ReadonlyArray<Word>, start: number, end: number | null): ReadonlyArray<Word> => {
  const firstFrom = (seconds: number) => {
    let low = 0
    let high = words.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (words[middle]!.start < seconds) low = middle + 1
      else high = middle
    }
    return low
  }
  return words.slice(firstFrom(start), end === null ? undefined : firstFrom(end))
}

/** The first of these that there is, in seconds. */
const timeIn = (row: JsonObject, path: string, names: ReadonlyArray<string>): number | null => {
  const name = names.find((one) => row[one] !== undefined && row[one] !== null)
  if (name === undefined) return null
  const seconds = row[name]
  if (typeof seconds !== "number" || seconds < 0 || seconds > Number.MAX_SAFE_INTEGER) {
    throw new Wrong(row, `${path}.${name} must be seconds, from 0 on`)
  }
  return seconds
}

const objectIn = (value: Json | undefined, what: string, within: unknown): JsonObject => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Wrong(within, `${what} must be an object`)
  }
  return value as JsonObject
}
