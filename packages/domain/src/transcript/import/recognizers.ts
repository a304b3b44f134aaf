import type { Json, JsonObject } from "../../json.ts"
import { mapSliced, type Sliced } from "../../slices.ts"
import { charactersOfWord } from "./cues.ts"
import {
  at,
  endAfter,
  endIn,
  isMissing,
  keyIn,
  labelAt,
  listAt,
  millisecondsAt,
  objectAt,
  objectsAt,
  type Place,
  type ReadTime,
  type Row,
  readSegments,
  readWords,
  type SpokenWord,
  secondsAt,
  textAt,
  timeIn,
  Wrong
} from "./jsonFields.ts"
import { rowsOfWords } from "./wordSegments.ts"

/** A transcript of a recognizer. */
export interface Recognized {
  readonly language: Json | undefined
  readonly rows: ReadonlyArray<Row>
}

/** Reads the words of a list, each with text, times and speaker under the keys of the recognizer. Times may be missing. */
function* spokenWords(
  value: Json | undefined,
  place: Place,
  keys: { readonly word: ReadonlyArray<string>; readonly speaker: string },
  readTime: ReadTime
): Sliced<ReadonlyArray<SpokenWord>> {
  return yield* readWords(value, place, function* (word, here): Sliced<SpokenWord> {
    yield charactersOfWord
    const key = keyIn(word, keys.word) ?? keys.word[0]!
    const start = timeIn(word, here, ["start"], readTime)
    const end = start === null ? timeIn(word, here, ["end"], readTime) : endIn(word, here, start, ["end"], readTime)
    return {
      word: textAt(word[key], at(here, key)).trim(),
      start,
      end,
      label: labelAt(word[keys.speaker], at(here, keys.speaker))
    }
  })
}

/** Reads words of a segment of Whisper or a derivative: `word`, or `text` (whisper-timestamped), and a speaker (WhisperX). */
export const segmentWords = (value: Json | undefined, place: Place): Sliced<ReadonlyArray<SpokenWord>> =>
  spokenWords(value, place, { word: ["word", "text"], speaker: "speaker" }, secondsAt)

/** Reads words of a whole document. `text` is not accepted for `word`, because other recognizers write it, maybe with milliseconds. */
export const documentWords = (value: Json | undefined, document: Place): Sliced<ReadonlyArray<SpokenWord>> =>
  spokenWords(value, at(document, "words"), { word: ["word"], speaker: "speaker" }, secondsAt)

/** Reads the times of an object. */
const timesOf = (row: JsonObject, place: Place, readTime: ReadTime, keys: readonly [string, string]) => {
  const start = readTime(row[keys[0]], at(place, keys[0]))
  const end = readTime(row[keys[1]], at(place, keys[1]))
  return { start, end: endAfter(start, end, place) }
}

const textOnly = (text: string): ReadonlyArray<Row> => [{ start: 0, end: null, text, words: [], speaker: null }]

/** Reads a transcript of AssemblyAI (https://www.assemblyai.com/docs/api-reference/transcripts/get), with times in milliseconds. */
export function* readAssemblyAi(transcript: JsonObject, document: Place): Sliced<Recognized> {
  if (!isMissing(transcript.error)) throw new Wrong([], "it is an error of AssemblyAI, without a transcript")
  const keys = { word: ["text"], speaker: "speaker" }
  const wordsOf = (value: Json | undefined, place: Place) => spokenWords(value, place, keys, millisecondsAt)
  const language =
    typeof transcript.language_code === "string" ? transcript.language_code.replaceAll("_", "-") : undefined
  if (
    !isMissing(transcript.utterances) &&
    !(Array.isArray(transcript.utterances) && transcript.utterances.length === 0)
  ) {
    const rows = yield* readSegments(
      transcript.utterances,
      at(document, "utterances"),
      function* (row, place): Sliced<Row> {
        return {
          ...timesOf(row, place, millisecondsAt, ["start", "end"]),
          text: textAt(row.text, at(place, "text")),
          words: isMissing(row.words) ? [] : yield* wordsOf(row.words, at(place, "words")),
          speaker: labelAt(row.speaker, at(place, "speaker"))
        }
      }
    )
    return { language, rows }
  }
  const text = textAt(transcript.text, at(document, "text"))
  const words = isMissing(transcript.words) ? [] : yield* wordsOf(transcript.words, at(document, "words"))
  return { language, rows: words.length === 0 ? textOnly(text) : rowsOfWords(words, text) }
}

/** Reads the first alternative of each channel (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded). */
export function* readDeepgram(transcript: JsonObject, document: Place): Sliced<Recognized> {
  const place = at(document, "results")
  const results = objectAt(transcript.results, place)
  const channels = objectsAt(results.channels, at(place, "channels"))
  const keys = { word: ["punctuated_word", "word"], speaker: "speaker" }
  /** Returns the label of a speaker. Each of several channels has its own speakers. */
  const labelOf = (speaker: string | null, channel: Json | undefined): string | null => {
    if (channels.length < 2) return speaker
    return speaker === null ? `Channel ${channel}` : `Channel ${channel}, speaker ${speaker}`
  }
  function* wordsOf(
    value: Json | undefined,
    here: Place,
    channel: Json | undefined
  ): Sliced<ReadonlyArray<SpokenWord>> {
    if (isMissing(value)) return []
    const words = yield* spokenWords(value, here, keys, secondsAt)
    return words.map((word) => ({ ...word, label: labelOf(word.label, channel) }))
  }
  const language = channels.map(([channel]) => channel.detected_language).find((one) => typeof one === "string")
  if (Array.isArray(results.utterances) && results.utterances.length > 0) {
    const rows = yield* readSegments(results.utterances, at(place, "utterances"), function* (row, here): Sliced<Row> {
      return {
        ...timesOf(row, here, secondsAt, ["start", "end"]),
        text: textAt(row.transcript, at(here, "transcript")),
        words: yield* wordsOf(row.words, at(here, "words"), row.channel ?? 0),
        speaker: labelOf(labelAt(row.speaker, at(here, "speaker")), row.channel ?? 0)
      }
    })
    return { language, rows }
  }
  const rows = yield* mapSliced(channels.entries(), function* ([index, [channel, here]]): Sliced<ReadonlyArray<Row>> {
    const [first] = objectsAt(channel.alternatives, at(here, "alternatives"))
    if (first === undefined) return []
    const [alternative, inside] = first
    const text = textAt(alternative.transcript, at(inside, "transcript"))
    const words = yield* wordsOf(alternative.words, at(inside, "words"), index)
    if (words.length > 0) return rowsOfWords(words, text)
    return textOnly(text).map((row): Row => ({ ...row, speaker: labelOf(null, index) }))
  })
  return { language, rows: rows.flat().toSorted((one, other) => one.start - other.start) }
}

/** Reads the first alternative of each item (https://docs.aws.amazon.com/transcribe/latest/dg/how-input.html#how-output). */
export function* readAws(transcript: JsonObject, document: Place): Sliced<Recognized> {
  const place = at(document, "results")
  const results = objectAt(transcript.results, place)
  const language = results.language_code
  const speakers = awsSpeakers(results, place)
  // The index of an item's word, by the item's id; a mark of punctuation belongs to the word before it.
  const wordOf = new Map<Json, number>()
  const words: Array<SpokenWord> = []
  yield* readWords(results.items ?? [], at(place, "items"), function* (item, here): Sliced<void> {
    yield charactersOfWord
    const [first] = objectsAt(item.alternatives, at(here, "alternatives"))
    const content = textAt(first?.[0].content, at(first?.[1] ?? at(here, "alternatives"), "content"))
    const last = words.at(-1)
    if (item.type === "punctuation" && last !== undefined)
      words[words.length - 1] = { ...last, word: last.word + content }
    else {
      const hasTimes = !isMissing(item.start_time)
      const times = hasTimes ? timesOf(item, here, secondsAt, ["start_time", "end_time"]) : { start: null, end: null }
      const label = labelAt(item.speaker_label ?? item.channel_label, at(here, "speaker_label"))
      words.push({ word: content, ...times, label: label ?? speakers.get(item.start_time ?? null) ?? null })
    }
    wordOf.set(item.id ?? null, words.length - 1)
  })
  if (Array.isArray(results.audio_segments) && results.audio_segments.length > 0) {
    const spoken = new Set<number>()
    const segments = at(place, "audio_segments")
    const rows = yield* readSegments(results.audio_segments, segments, function* (row, here): Sliced<Row> {
      yield charactersOfWord
      const ids = isMissing(row.items) ? [] : listAt(row.items, at(here, "items"))
      const own = [...new Set(ids.flatMap((id) => wordOf.get(id) ?? []))].filter((index) => !spoken.has(index))
      for (const index of own) spoken.add(index)
      const its = own.map((index) => words[index]!)
      return {
        ...timesOf(row, here, secondsAt, ["start_time", "end_time"]),
        text: textAt(row.transcript, at(here, "transcript")),
        words: its,
        speaker: labelAt(row.speaker_label, at(here, "speaker_label")) ?? its[0]?.label ?? null
      }
    })
    if (spoken.size === words.length) return { language, rows }
  }
  const transcripts = objectsAt(results.transcripts ?? [], at(place, "transcripts"))
  const text = transcripts.map(([one, here]) => textAt(one.transcript, at(here, "transcript"))).join(" ")
  return { language, rows: words.length === 0 ? textOnly(text) : rowsOfWords(words, text === "" ? null : text) }
}

/** Returns the speakers of items by their start, for older documents. */
const awsSpeakers = (results: JsonObject, place: Place): ReadonlyMap<Json, string | null> => {
  const labels = at(place, "speaker_labels")
  if (isMissing(results.speaker_labels)) return new Map()
  const segments = objectAt(results.speaker_labels, labels).segments
  return new Map(
    objectsAt(isMissing(segments) ? [] : segments, at(labels, "segments")).flatMap(([segment, here]) =>
      objectsAt(isMissing(segment.items) ? [] : segment.items, at(here, "items")).map(
        ([item, inside]) => [item.start_time ?? null, labelAt(item.speaker_label, at(inside, "speaker_label"))] as const
      )
    )
  )
}

/** Reads `--output-json` (https://github.com/ggml-org/whisper.cpp/blob/master/examples/cli/cli.cpp), with times in milliseconds. */
export function* readWhisperCpp(transcript: JsonObject, document: Place): Sliced<Recognized> {
  const segments = at(document, "transcription")
  const rows = yield* readSegments(transcript.transcription, segments, function* (row, place): Sliced<Row> {
    yield charactersOfWord
    const offsets = at(place, "offsets")
    return {
      ...timesOf(objectAt(row.offsets, offsets), offsets, millisecondsAt, ["from", "to"]),
      text: textAt(row.text, at(place, "text")),
      words: [],
      speaker: labelAt(row.speaker, at(place, "speaker"))
    }
  })
  const result = isMissing(transcript.result) ? {} : objectAt(transcript.result, at(document, "result"))
  return { language: result.language, rows }
}

/** Reads `chunks` of Transformers (https://huggingface.co/docs/transformers/main_classes/pipelines) and `speakers` of insanely-fast-whisper. */
export function* readChunks(transcript: JsonObject, document: Place): Sliced<Recognized> {
  const key = Array.isArray(transcript.speakers) && transcript.speakers.length > 0 ? "speakers" : "chunks"
  const rows = yield* readSegments(transcript[key], at(document, key), function* (row, place): Sliced<Row> {
    yield charactersOfWord
    const here = at(place, "timestamp")
    const [from, to] = listAt(row.timestamp, here)
    const start = secondsAt(from, at(here, 0))
    const end = isMissing(to) ? null : endAfter(start, secondsAt(to, at(here, 1)), place)
    const speaker = labelAt(row.speaker, at(place, "speaker"))
    return { start, end, text: textAt(row.text, at(place, "text")), words: [], speaker }
  })
  return { language: transcript.language, rows }
}
