import * as Result from "effect/Result"
import { isJsonWithinDepth, type Json, type JsonObject, MAX_JSON_DEPTH } from "../../json.ts"
import { readJson } from "../../readJson.ts"
import { mapSliced, type Sliced } from "../../slices.ts"
import { languageTagOf } from "../language.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"
import { charactersOfWord, Speakers, wholeSeconds } from "./cues.ts"
import {
  at,
  type Counts,
  document,
  inOrder,
  isMissing,
  labelAt,
  objectAt,
  objectsAt,
  type Place,
  type Row,
  type SpokenWord,
  secondsAt,
  segmentsAt,
  Wrong
} from "./jsonFields.ts"
import {
  MAX_TRANSCRIPT_BRACKETS,
  MAX_TRANSCRIPT_SEGMENTS,
  MAX_TRANSCRIPT_SENTENCES,
  tooManyBrackets,
  tooManySegments,
  tooManySentences
} from "./limits.ts"
import { placedProblem } from "./placedJson.ts"
import { problemAt, type TranscriptUnreadable } from "./problem.ts"
import {
  documentWords,
  type Recognized,
  readAssemblyAi,
  readAws,
  readChunks,
  readDeepgram,
  readWhisperCpp,
  segmentWords
} from "./recognizers.ts"
import { shapeOf } from "./shapes.ts"
import { rowsOfWords } from "./wordSegments.ts"
import { wordsBySegment } from "./words.ts"

/**
 * Reads a transcript in one of the shapes that recognizers write; any other is refused. Texts, times, words and speakers are
 * kept; what else a recognizer says of them, such as its confidence, is not.
 */
export function* readTranscriptJson(text: string): Sliced<Result.Result<RecognizedTranscript, TranscriptUnreadable>> {
  const beyond = offsetBeyond(text, MAX_TRANSCRIPT_BRACKETS)
  if (beyond !== undefined) return Result.fail(problemAt(text, beyond, tooManyBrackets))
  const value = yield* readJson(text)
  const read = Result.isFailure(value)
    ? Result.fail(new Wrong([], `the document ${value.failure}`))
    : yield* readDocument(value.success as Json)
  return Result.mapError(read, ({ path, problem }) => placedProblem(text, path, problem))
}

/** The offset of the first opening bracket or brace beyond this many. */
const offsetBeyond = (text: string, max: number): number | undefined => {
  let count = 0
  for (const { index } of text.matchAll(/[[{]/g)) if (++count > max) return index
  return undefined
}

function* readDocument(value: Json): Sliced<Result.Result<RecognizedTranscript, Wrong>> {
  try {
    return Result.succeed(yield* transcriptIn(value))
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(wrong)
  }
}

function* transcriptIn(value: Json): Sliced<RecognizedTranscript> {
  const counts: Counts = { sentences: 0, words: 0 }
  // A list is the segments alone.
  if (Array.isArray(value)) return yield* segmentsIn({ segments: value }, { name: "segments", path: [] }, counts)
  const given = objectAt(value, document, "a transcript")
  switch (shapeOf(given)) {
    case "assemblyai":
      return yield* transcriptOf(yield* readAssemblyAi(given, counts))
    case "aws":
      return yield* transcriptOf(yield* readAws(given, counts))
    case "deepgram":
      return yield* transcriptOf(yield* readDeepgram(given, counts))
    case "whisper.cpp":
      return yield* transcriptOf(yield* readWhisperCpp(given))
    case "chunks":
      return yield* transcriptOf(yield* readChunks(given))
    case "segments":
      return yield* segmentsIn(given, at(document, "segments"), counts)
    case "text":
      return yield* transcriptOf(yield* readText(given, counts))
  }
}

const languageIn = (language: Json | undefined): string | null =>
  typeof language === "string" ? languageTagOf(language) : null

function* transcriptOf({ language, rows }: Recognized): Sliced<RecognizedTranscript> {
  if (rows.length > MAX_TRANSCRIPT_SEGMENTS) throw new Wrong([], tooManySegments)
  const speakers = new Speakers({})
  const segments = yield* mapSliced(rows, function* (row) {
    yield row.text.length + row.words.length * charactersOfWord
    return segmentOf(row, speakers)
  })
  return {
    language: languageIn(language),
    speakerMap: speakers.map,
    segments: segments.filter(({ text }) => text !== "")
  }
}

const segmentOf = ({ end, speaker, start, text, words }: Row, speakers: Speakers): Segment => {
  const trimmed = text.trim() || words.map(({ word }) => word).join(" ")
  const own = speaker === null ? {} : { speaker: speakers.numberOf(speaker) }
  const sentence: JsonObject = { text: trimmed, start, end, ...own }
  const sentences = [withWordsOf(sentence, words, speaker, speakers)]
  return { ...wholeSeconds(start, end), text: trimmed, sentences }
}

/** The sentence with its words; a word has a speaker where that is another than the segment's. */
const withWordsOf = (
  sentence: JsonObject,
  words: ReadonlyArray<SpokenWord>,
  speaker: string | null,
  speakers: Speakers
): JsonObject => {
  if (words.length === 0) return sentence
  const written = words.map(({ end, label, start, word }): JsonObject => {
    const times = start === null ? { word } : { word, start, end }
    return label === null || label === speaker ? times : { ...times, speaker: speakers.numberOf(label) }
  })
  return { ...sentence, words: written }
}

/** A recognizer's text without segments: OpenAI's `json`, or `verbose_json` with the times of words alone. */
function* readText(given: JsonObject, counts: Counts): Sliced<Recognized> {
  const { language } = given
  if (typeof given.text !== "string") throw new Wrong([], "it must have segments, or a text")
  const words = isMissing(given.words) ? [] : yield* documentWords(given.words, counts)
  if (words.length > 0) return { language, rows: rowsOfWords(words, given.text) }
  const end = isMissing(given.duration) ? null : secondsAt(given.duration, at(document, "duration"))
  return { language, rows: [{ start: 0, end, text: given.text, words, speaker: null }] }
}

const speakerMapIn = (map: Json | undefined): Readonly<Record<string, string>> => {
  if (isMissing(map)) return {}
  const names = objectAt(map, at(document, "speaker_map"))
  for (const [key, name] of Object.entries(names)) {
    if (typeof name !== "string") throw new Wrong(["speaker_map"], `speaker_map.${key} must be a string`)
  }
  return names as Readonly<Record<string, string>>
}

/** A segment as this API writes it, with its sentences, or a recognizer's. */
interface ReadSegment {
  readonly row: Row
  readonly start: number
  readonly end: number | null
  readonly sentences: ReadonlyArray<JsonObject> | null
  /** Whether words of the whole document belong to it: it has neither sentences nor words of its own. */
  readonly takesWords: boolean
}

/** This API's segments (`start_seconds`, `sentences`), or those of Whisper and its derivatives (`start`, `words`, `speaker`). */
function* segmentsIn(given: JsonObject, place: Place, counts: Counts): Sliced<RecognizedTranscript> {
  const map = speakerMapIn(given.speaker_map)
  const allWords = isMissing(given.words) ? [] : yield* documentWords(given.words, counts)
  const read = yield* mapSliced(segmentsAt(given.segments, place), ([row, here]) => segmentIn(row, here, counts))
  const taken = wordsBySegment(read, allWords)
  const used = read.flatMap(({ sentences }) => (sentences ?? []).flatMap(({ speaker }) => speaker ?? []))
  const speakers = new Speakers(map, used.map(String))
  const segments = yield* mapSliced(read, function* (one): Sliced<Segment> {
    const { end, row, sentences, start } = one
    yield row.text.length + (sentences ?? row.words).length * charactersOfWord
    if (sentences !== null) return { ...wholeSeconds(start, end), text: row.text.trim(), sentences }
    return segmentOf({ ...row, words: taken.get(one) ?? row.words }, speakers)
  })
  return {
    language: languageIn(given.language),
    speakerMap: speakers.map,
    segments: segments.filter(({ text }) => text !== "")
  }
}

const unreadSpeakers = ["speaker_id", "speaker_label", "speaker_name", "speakerId", "speakerLabel"]

function* segmentIn(row: JsonObject, place: Place, counts: Counts): Sliced<ReadSegment> {
  yield charactersOfWord
  const unread = unreadSpeakers.find((key) => !isMissing(row[key]))
  if (unread !== undefined)
    throw new Wrong(place.path, `${place.name}.${unread} is not read: its speaker must be in speaker`)
  const start = timeIn(row, place, ["start_seconds", "start"])
  if (start === null) throw new Wrong(place.path, `${place.name} must have start_seconds, or start`)
  const end = timeIn(row, place, ["end_seconds", "end"])
  inOrder(start, end, place)
  if (typeof row.text !== "string") throw new Wrong(place.path, `${place.name}.text must be a string`)
  const hasWords = !isMissing(row.words)
  const speaker = labelAt(row.speaker, at(place, "speaker"))
  const plain: Row = { start, end, text: row.text, words: [], speaker }
  if (row.sentences !== undefined) {
    if (hasWords || speaker !== null)
      throw new Wrong(place.path, `${place.name} has sentences, which name words and speaker`)
    return { row: plain, start, end, sentences: sentencesIn(row.sentences, place, counts), takesWords: false }
  }
  const words = hasWords ? yield* segmentWords(row.words, at(place, "words"), counts) : []
  return { row: { ...plain, words }, start, end, sentences: null, takesWords: !hasWords }
}

const sentencesIn = (sentences: Json, place: Place, counts: Counts): ReadonlyArray<JsonObject> => {
  const here = at(place, "sentences")
  if (!Array.isArray(sentences)) throw new Wrong(place.path, `${here.name} must be a list`)
  counts.sentences += sentences.length
  if (counts.sentences > MAX_TRANSCRIPT_SENTENCES) throw new Wrong(here.path, tooManySentences)
  if (!isJsonWithinDepth(sentences)) {
    throw new Wrong(place.path, `${here.name} may be nested at most ${MAX_JSON_DEPTH} deep`)
  }
  return objectsAt(sentences, here).map(([one]) => one)
}

/** The first of these that there is, in seconds. */
const timeIn = (row: JsonObject, place: Place, keys: ReadonlyArray<string>): number | null => {
  const key = keys.find((one) => !isMissing(row[one]))
  return key === undefined ? null : secondsAt(row[key], at(place, key))
}
