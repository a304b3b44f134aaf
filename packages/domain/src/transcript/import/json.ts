import * as Result from "effect/Result"
import { isJsonWithinDepth, type Json, type JsonObject, MAX_JSON_DEPTH } from "../../json.ts"
import { languageTagOf } from "../language.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"
import { Speakers, wholeSeconds } from "./cues.ts"
import {
  MAX_TRANSCRIPT_BRACKETS,
  MAX_TRANSCRIPT_SEGMENTS,
  MAX_TRANSCRIPT_SENTENCES,
  MAX_TRANSCRIPT_WORDS,
  tooManyBrackets,
  tooManySegments,
  tooManySentences,
  tooManyWords
} from "./limits.ts"
import { type JsonPath, placedProblem } from "./placedJson.ts"
import { problemAt, type TranscriptUnreadable } from "./problem.ts"
import { type Word, wordsBySegment } from "./words.ts"

/** Something in the document is not what it must be; `path` leads to the object or list that it is in. */
class Wrong {
  readonly path: JsonPath
  readonly problem: string
  constructor(path: JsonPath, problem: string) {
    this.path = path
    this.problem = problem
  }
}

/**
 * Reads a transcript as this API writes it (`start_seconds`, `end_seconds`, `text`, `sentences`), or as recognizers write
 * theirs (`verbose_json`: `start`, `end`, `text`, with `words` and `speaker` where there are any). A document with a text
 * and no segments is one segment; a list is the segments alone.
 */
export const parseTranscriptJson = (text: string): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  const beyond = offsetBeyond(text, MAX_TRANSCRIPT_BRACKETS)
  if (beyond !== undefined) return Result.fail(problemAt(text, beyond, tooManyBrackets))
  const document = jsonOf(text)
  const read = document === undefined ? Result.fail(new Wrong([], "this is not JSON")) : readDocument(document)
  return Result.mapError(read, ({ path, problem }) => placedProblem(text, path, problem))
}

/** The offset of the first opening bracket or brace beyond this many. */
const offsetBeyond = (text: string, max: number): number | undefined => {
  let count = 0
  for (const { index } of text.matchAll(/[[{]/g)) if (++count > max) return index
  return undefined
}

const jsonOf = (text: string): Json | undefined => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json
  } catch {
    return undefined
  }
}

const readDocument = (value: Json): Result.Result<RecognizedTranscript, Wrong> => {
  try {
    return Result.succeed(
      Array.isArray(value)
        ? transcriptIn({ segments: value }, [])
        : transcriptIn(objectIn(value, "a transcript", []), ["segments"])
    )
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(wrong)
  }
}

/** How much of what is limited over the whole document was read. */
interface Counts {
  sentences: number
  words: number
}

const transcriptIn = (document: JsonObject, path: JsonPath): RecognizedTranscript => {
  const { language, segments, speaker_map, text, words } = document
  const given = speakerMapIn(speaker_map)
  const speakers = new Speakers()
  const speakerOf = (label: string): string => (Object.hasOwn(given, label) ? label : speakers.numberOf(label))
  const rows = segments ?? wholeText(text)
  if (!Array.isArray(rows)) throw new Wrong([], "segments must be a list")
  if (rows.length > MAX_TRANSCRIPT_SEGMENTS) throw new Wrong(path, tooManySegments)
  const counts: Counts = { sentences: 0, words: 0 }
  const allWords = words === undefined || words === null ? [] : wordsIn(words, [], ["words"], counts)
  const read = rows.map((row, index) => {
    const name = `segments[${index}]`
    return segmentIn(objectIn(row, name, path), { name, path: [...path, index] }, speakerOf, counts)
  })
  return {
    language: typeof language === "string" ? languageTagOf(language) : null,
    speakerMap: { ...given, ...speakers.map },
    segments: withWords(read, allWords).filter((one) => one.text !== "")
  }
}

/** The text of a recognizer that gives no times. */
const wholeText = (text: Json | undefined): Json => {
  if (typeof text !== "string") throw new Wrong([], "it must have segments, or a text")
  return [{ start: 0, end: null, text, sentences: [] }]
}

const speakerMapIn = (map: Json | undefined): Readonly<Record<string, string>> => {
  if (map === undefined || map === null) return {}
  const names = objectIn(map, "speaker_map", [])
  for (const [key, name] of Object.entries(names)) {
    if (typeof name !== "string") throw new Wrong(["speaker_map"], `speaker_map.${key} must be a string`)
  }
  return names as Readonly<Record<string, string>>
}

/** A segment's name in messages, and its path. */
interface Place {
  readonly name: string
  readonly path: JsonPath
}

interface ReadSegment {
  readonly segment: Segment
  readonly start: number
  readonly end: number | null
  /** Whether words of the whole document belong to it: it has neither sentences nor words of its own. */
  readonly takesWords: boolean
}

const segmentIn = (
  row: JsonObject,
  { name, path }: Place,
  speakerOf: (label: string) => string,
  counts: Counts
): ReadSegment => {
  const start = timeIn(row, { name, path }, ["start_seconds", "start"])
  if (start === null) throw new Wrong(path, `${name} must have start_seconds, or start`)
  const end = timeIn(row, { name, path }, ["end_seconds", "end"])
  if (end !== null && end < start) throw new Wrong(path, `${name} ends before it starts`)
  if (typeof row.text !== "string") throw new Wrong(path, `${name}.text must be a string`)
  const text = row.text.trim()
  const times = wholeSeconds(start, end)
  if (row.sentences !== undefined) {
    const sentences = sentencesIn(row.sentences, { name, path }, counts)
    return { segment: { ...times, text, sentences }, start, end, takesWords: false }
  }
  const takesWords = row.words === undefined || row.words === null
  const words = takesWords ? [] : wordsIn(row.words!, path, [...path, "words"], counts)
  const label = row.speaker
  const speaker = typeof label === "string" || typeof label === "number" ? speakerOf(String(label)) : undefined
  const sentence: JsonObject = { text, start, end, ...(speaker === undefined ? {} : { speaker }) }
  return { segment: { ...times, text, sentences: [withWordsOf(sentence, words)] }, start, end, takesWords }
}

const withWordsOf = (sentence: JsonObject, words: ReadonlyArray<Word>): JsonObject =>
  words.length === 0 ? sentence : { ...sentence, words: words.map((word) => ({ ...word })) }

/** The segments, with those words of the whole document that belong to them. */
const withWords = (read: ReadonlyArray<ReadSegment>, words: ReadonlyArray<Word>): ReadonlyArray<Segment> => {
  const taking = wordsBySegment(
    read.filter(({ takesWords }) => takesWords),
    words
  )
  return read.map((one) => {
    const own = taking.get(one)
    if (own === undefined) return one.segment
    return { ...one.segment, sentences: one.segment.sentences.map((sentence) => withWordsOf(sentence, own)) }
  })
}

const sentencesIn = (sentences: Json, { name, path }: Place, counts: Counts): ReadonlyArray<JsonObject> => {
  if (!Array.isArray(sentences)) throw new Wrong(path, `${name}.sentences must be a list`)
  const here = [...path, "sentences"]
  counts.sentences += sentences.length
  if (counts.sentences > MAX_TRANSCRIPT_SENTENCES) throw new Wrong(here, tooManySentences)
  if (!isJsonWithinDepth(sentences)) {
    throw new Wrong(path, `${name}.sentences may be nested at most ${MAX_JSON_DEPTH} deep`)
  }
  return sentences.map((one, index) => objectIn(one, `${name}.sentences[${index}]`, here))
}

/** Words without a time (of which recognizers are not sure) are left out. */
const wordsIn = (words: Json, within: JsonPath, here: JsonPath, counts: Counts): ReadonlyArray<Word> => {
  if (!Array.isArray(words)) throw new Wrong(within, "words must be a list")
  counts.words += words.length
  if (counts.words > MAX_TRANSCRIPT_WORDS) throw new Wrong(here, tooManyWords)
  return words.flatMap((one) => {
    const { end, start, word } = objectIn(one, "a word", here)
    if (typeof word !== "string" || typeof start !== "number") return []
    return [{ word: word.trim(), start, end: typeof end === "number" ? end : null }]
  })
}

/** The first of these that there is, in seconds. */
const timeIn = (row: JsonObject, { name, path }: Place, keys: ReadonlyArray<string>): number | null => {
  const key = keys.find((one) => row[one] !== undefined && row[one] !== null)
  if (key === undefined) return null
  const seconds = row[key]
  if (typeof seconds !== "number" || seconds < 0 || seconds > Number.MAX_SAFE_INTEGER) {
    throw new Wrong(path, `${name}.${key} must be seconds, from 0 on`)
  }
  return seconds
}

const objectIn = (value: Json | undefined, what: string, within: JsonPath): JsonObject => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Wrong(within, `${what} must be an object`)
  }
  return value as JsonObject
}
