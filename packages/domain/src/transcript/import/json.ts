import * as Result from "effect/Result"
import type { Repairs } from "../../capture/Repairs.ts"
import { isJson, type Json, type JsonObject, MAX_JSON_DEPTH } from "../../json.ts"
import { withoutNaN } from "../../jsonValues.ts"
import { type JsonProblem, NOT_JSON, readJson } from "../../readJson.ts"
import { mapSliced, type Sliced } from "../../slices.ts"
import { languageTagOf } from "../language.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"
import { charactersOfWord, Speakers, wholeSeconds } from "./cues.ts"
import {
  at,
  DocumentWrong,
  documentPlace,
  endIn,
  isMissing,
  keyIn,
  labelAt,
  note,
  objectAt,
  objectsAt,
  type Place,
  type Row,
  readSegments,
  type SpokenWord,
  timeIn,
  Wrong
} from "./jsonFields.ts"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_SENTENCES, tooManySegments, tooManySentences } from "./limits.ts"
import { placedProblem } from "./placedJson.ts"
import type { Problem } from "./problem.ts"
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
 * Reads a transcript in one of the shapes that recognizers write; any other is refused. Texts, times, words and speakers are kept; other
 * data of a recognizer, such as its confidence, is not.
 */
export function* readTranscriptJson(
  text: string,
  repairs: Repairs
): Sliced<Result.Result<RecognizedTranscript, Problem>> {
  const value = yield* readLenient(text, repairs)
  const read = Result.isFailure(value)
    ? Result.fail(new Wrong([], `the document ${value.failure}`))
    : yield* readDocument(value.success as Json, documentPlace(repairs))
  if (Result.isSuccess(read)) return Result.succeed(read.success)
  const { path, problem } = read.failure
  return Result.fail(yield* placedProblem(text, path, problem))
}

/** Reads JSON, in which `NaN` and `Infinity`, which Python writes as numbers, are missing values. */
function* readLenient(text: string, repairs: Repairs): Sliced<Result.Result<unknown, JsonProblem>> {
  const read = yield* readJson(text)
  if (Result.isSuccess(read) || read.failure !== NOT_JSON) return read
  const mended = yield* readJson(yield* withoutNaN(text))
  if (Result.isSuccess(mended)) repairs.note("the file", "NaN and Infinity became null")
  return mended
}

function* readDocument(value: Json, document: Place): Sliced<Result.Result<RecognizedTranscript, Wrong>> {
  try {
    return Result.succeed(yield* transcriptIn(value, document))
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(wrong)
  }
}

function* transcriptIn(value: Json, document: Place): Sliced<RecognizedTranscript> {
  // A list is the segments alone.
  if (Array.isArray(value)) return yield* segmentsIn({ segments: value }, document, { ...document, name: "segments" })
  const given = objectAt(value, document, "a transcript")
  switch (shapeOf(given)) {
    case "assemblyai":
      return yield* transcriptOf(yield* readAssemblyAi(given, document))
    case "aws":
      return yield* transcriptOf(yield* readAws(given, document))
    case "deepgram":
      return yield* transcriptOf(yield* readDeepgram(given, document))
    case "whisper.cpp":
      return yield* transcriptOf(yield* readWhisperCpp(given, document))
    case "chunks":
      return yield* transcriptOf(yield* readChunks(given, document))
    case "segments":
      return yield* segmentsIn(given, document, at(document, "segments"))
    case "text":
      return yield* transcriptOf(yield* readText(given, document))
  }
}

const languageIn = (language: Json | undefined): string | null =>
  typeof language === "string" ? languageTagOf(language) : null

function* transcriptOf({ language, rows }: Recognized): Sliced<RecognizedTranscript> {
  if (rows.length > MAX_TRANSCRIPT_SEGMENTS) throw new DocumentWrong([], tooManySegments)
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

/** Returns the sentence with its words. A word has a speaker only if it differs from that of the segment. */
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

/** Reads a recognizer's text without segments: OpenAI's `json`, or `verbose_json` with the times of words only. */
function* readText(given: JsonObject, document: Place): Sliced<Recognized> {
  const { language } = given
  if (typeof given.text !== "string") throw new Wrong([], "it must have segments, or a text")
  const words = isMissing(given.words) ? [] : yield* documentWords(given.words, document)
  if (words.length > 0) return { language, rows: rowsOfWords(words, given.text) }
  const end = timeIn(given, document, ["duration"])
  return { language, rows: [{ start: 0, end, text: given.text, words, speaker: null }] }
}

const speakerMapIn = (map: Json | undefined, document: Place): Readonly<Record<string, string>> => {
  if (isMissing(map)) return {}
  const names = objectAt(map, at(document, "speaker_map"))
  for (const [key, name] of Object.entries(names)) {
    if (typeof name !== "string") throw new Wrong(["speaker_map"], `speaker_map.${key} must be a string`)
  }
  return names as Readonly<Record<string, string>>
}

/** A segment of this API, with its sentences, or of a recognizer. */
interface ReadSegment {
  readonly row: Row
  readonly start: number
  readonly end: number | null
  readonly sentences: ReadonlyArray<JsonObject> | null
  /** True if the segment takes words of the whole document, because it has neither sentences nor words of its own. */
  readonly takesWords: boolean
}

/** Reads segments of this API (`start_seconds`, `sentences`), or of Whisper and its derivatives (`start`, `words`, `speaker`). */
function* segmentsIn(given: JsonObject, document: Place, place: Place): Sliced<RecognizedTranscript> {
  const map = speakerMapIn(given.speaker_map, document)
  const allWords = isMissing(given.words) ? [] : yield* documentWords(given.words, document)
  const isTimed = Array.isArray(given.segments) && given.segments.slice(0, MAX_TRANSCRIPT_SEGMENTS).some(hasStart)
  let last = 0
  const read = yield* readSegments(given.segments, place, function* (row, here): Sliced<ReadSegment> {
    const segment = yield* segmentIn(row, here, isTimed ? last : null)
    last = segment.end ?? segment.start
    return segment
  })
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

const startKeys = ["start_seconds", "start"]

const hasStart = (row: Json): boolean =>
  typeof row === "object" && row !== null && keyIn(row as JsonObject, startKeys) !== undefined

/** Returns the start of a segment. A segment without a start begins at the end of the previous one, if the document has any starts. */
const startIn = (row: JsonObject, place: Place, last: number | null): number => {
  const start = timeIn(row, place, startKeys)
  if (start !== null) return start
  if (last === null) throw new Wrong(place.path, `${place.name} must have start_seconds, or start`)
  note(place, "Without a start: it begins where the segment before it ends")
  return last
}

function* segmentIn(row: JsonObject, place: Place, last: number | null): Sliced<ReadSegment> {
  yield charactersOfWord
  const unread = keyIn(row, unreadSpeakers)
  if (unread !== undefined)
    throw new DocumentWrong(place.path, `${place.name}.${unread} is not read: its speaker must be in speaker`)
  const start = startIn(row, place, last)
  const end = endIn(row, place, start, ["end_seconds", "end"])
  if (typeof row.text !== "string") throw new Wrong(place.path, `${place.name}.text must be a string`)
  const hasWords = !isMissing(row.words)
  const speaker = labelAt(row.speaker, at(place, "speaker"))
  const plain: Row = { start, end, text: row.text, words: [], speaker }
  if (row.sentences !== undefined) {
    if (hasWords || speaker !== null)
      throw new DocumentWrong(place.path, `${place.name} has sentences, which name words and speaker`)
    return { row: plain, start, end, sentences: sentencesIn(row.sentences, place), takesWords: false }
  }
  const words = hasWords ? yield* segmentWords(row.words, at(place, "words")) : []
  return { row: { ...plain, words }, start, end, sentences: null, takesWords: !hasWords }
}

const sentencesIn = (sentences: Json, place: Place): ReadonlyArray<JsonObject> => {
  const here = at(place, "sentences")
  if (!Array.isArray(sentences)) throw new Wrong(place.path, `${here.name} must be a list`)
  place.reading.sentences += sentences.length
  if (place.reading.sentences > MAX_TRANSCRIPT_SENTENCES) throw new DocumentWrong(here.path, tooManySentences)
  if (!isJson(sentences)) {
    throw new Wrong(place.path, `${here.name} may be nested at most ${MAX_JSON_DEPTH} deep`)
  }
  return objectsAt(sentences, here).map(([one]) => one)
}
