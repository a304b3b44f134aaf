import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { MAX_JSON_VALUES } from "../../src/readJson.ts"
import {
  MAX_TRANSCRIPT_HOURS,
  MAX_TRANSCRIPT_LINES,
  MAX_TRANSCRIPT_SEGMENTS,
  MAX_TRANSCRIPT_SENTENCES,
  MAX_TRANSCRIPT_WORDS
} from "../../src/transcript/import/limits.ts"
import { parseTranscript, type RecognizedTranscript, type TranscriptFormat } from "../../src/transcript/index.ts"

const read = (format: TranscriptFormat, text: string): RecognizedTranscript =>
  Result.getOrThrow(parseTranscript(format, text))

const refusal = (format: TranscriptFormat, text: string): string =>
  Result.match(parseTranscript(format, text), {
    onFailure: (unreadable) => unreadable.message,
    onSuccess: () => "it was read"
  })

const json = (document: unknown): string => JSON.stringify(document)
const times = <Item>(count: number, item: Item): ReadonlyArray<Item> => Array<Item>(count).fill(item)
const cues = (count: number): string => "0:01 --> 0:02\nx\n\n".repeat(count)
const voices = (count: number): string => `0:01 --> 0:02\n${"<v A>x".repeat(count)}\n`

describe("limits of an imported transcript", () => {
  it.each([
    ["webvtt", "WEBVTT\n\n"],
    ["subrip", ""]
  ] as const)("%s: reads the maximum number of cues, lines and hours, and refuses one more", (format, header) => {
    const line = header.split("\n").length
    expect(read(format, header + cues(MAX_TRANSCRIPT_SEGMENTS)).segments).toHaveLength(MAX_TRANSCRIPT_SEGMENTS)
    expect(refusal(format, header + cues(MAX_TRANSCRIPT_SEGMENTS + 1))).toBe(
      `Line ${line + 3 * MAX_TRANSCRIPT_SEGMENTS}, column 1: a transcript has at most 50000 segments`
    )
    const blank = "\n".repeat(MAX_TRANSCRIPT_LINES - line - 2)
    expect(read(format, `${header}${blank}0:01 --> 0:02\nx\n`).segments).toHaveLength(1)
    expect(refusal(format, `${header}${blank}0:01 --> 0:02\nx\n\n`)).toBe(
      "Line 500001, column 1: a transcript has at most 500000 lines"
    )
    const long = (hours: number) => `${header}00:01.000 --> ${hours}:00:02.500\nx\n\n00:01.000 --> 00:02.000\ny`
    expect(read(format, long(MAX_TRANSCRIPT_HOURS)).segments[0]?.endSeconds).toBe(MAX_TRANSCRIPT_HOURS * 3600 + 3)
    expect(refusal(format, long(MAX_TRANSCRIPT_HOURS + 1))).toBe(
      `Line ${line}, column 15: a time has at most 9999 hours`
    )
  })

  it("webvtt: reads the maximum number of voices, and refuses one more", () => {
    const [segment] = read("webvtt", `WEBVTT\n\n${voices(MAX_TRANSCRIPT_SENTENCES)}`).segments
    expect(segment?.sentences).toHaveLength(MAX_TRANSCRIPT_SENTENCES)
    expect(refusal("webvtt", `WEBVTT\n\n${voices(MAX_TRANSCRIPT_SENTENCES + 1)}`)).toBe(
      "Line 3, column 1: a transcript has at most 250000 sentences"
    )
  })

  it("json: reads the maximum number of segments, and refuses one more", () => {
    const segment = { start: 0, end: 1, text: "x" }
    expect(read("json", json(times(MAX_TRANSCRIPT_SEGMENTS, segment))).segments).toHaveLength(MAX_TRANSCRIPT_SEGMENTS)
    expect(refusal("json", json({ segments: times(MAX_TRANSCRIPT_SEGMENTS + 1, segment) }))).toBe(
      "Line 1, column 13: a transcript has at most 50000 segments"
    )
  })

  it("json: reads the maximum number of sentences and words of all segments together, and refuses one more", () => {
    const segment = (part: object) => ({ start: 0, end: 1, text: "x", ...part })
    const sentences = (count: number) => json([{}, {}].map(() => segment({ sentences: times(count, {}) })))
    expect(read("json", sentences(MAX_TRANSCRIPT_SENTENCES / 2)).segments).toHaveLength(2)
    expect(refusal("json", sentences(MAX_TRANSCRIPT_SENTENCES / 2 + 1))).toContain(
      "a transcript has at most 250000 sentences"
    )
    const word = { word: "x", start: 0 }
    const words = (count: number) =>
      json({ words: times(count, word), segments: [segment({ words: times(MAX_TRANSCRIPT_WORDS / 2, word) })] })
    expect(read("json", words(MAX_TRANSCRIPT_WORDS / 2)).segments).toHaveLength(1)
    expect(refusal("json", words(MAX_TRANSCRIPT_WORDS / 2 + 1))).toContain("a transcript has at most 250000 words")
  })

  it("json: reads the maximum number of values, and refuses one more before it is parsed", () => {
    const values = (count: number) => `{"text":"x","other":[${"7,".repeat(count - 4)}7]}`
    expect(read("json", values(MAX_JSON_VALUES)).segments).toHaveLength(1)
    expect(refusal("json", values(MAX_JSON_VALUES + 1))).toContain("the document may have at most 2000000 values")
  })
})

describe("the words of a transcript", () => {
  const wordsOf = (document: unknown) =>
    read("json", json(document)).segments.map(({ sentences }) =>
      ((sentences[0]?.words ?? []) as ReadonlyArray<{ readonly word: string }>).map(({ word }) => word)
    )

  it("belong to the segment that started last before them", () => {
    const words = [0, 1, 2, 3, 4, 5, 9].map((start) => ({ word: String(start), start }))
    const segments = [
      { start: 1, end: 6, text: "outer" },
      { start: 2, end: 4, text: "inner" },
      { start: 9, text: "without an end" },
      { start: 0, end: 6, text: "with words of its own", words: [] }
    ]
    expect(wordsOf({ words, segments })).toEqual([["1", "4", "5"], ["2", "3"], ["9"], []])
  })

  it("are not multiplied by overlapping segments", () => {
    const words = times(20_000, { word: "x", start: 0 })
    const segments = times(20_000, { start: 0, end: 1, text: "x" })
    expect(wordsOf({ words, segments }).flat()).toHaveLength(20_000)
  })
})

describe("hostile transcripts of the largest size end with a named error", () => {
  const size = 100_000
  const megabytes = 15_000_000

  it.each<readonly [string, TranscriptFormat, string, string]>([
    [
      "dashes after a time",
      "subrip",
      `1\n00:00:01,000 --> 00:00:02,000\n0:0${"0".repeat(size)}${"-".repeat(size)}`,
      "it was read"
    ],
    ["blanks after a voice", "webvtt", `WEBVTT\n\n0:01 --> 0:02\n<v${" ".repeat(size)}<`, "it was read"],
    ["tags that do not end", "webvtt", `WEBVTT\n\n0:01 --> 0:02\n${"<v ".repeat(size)}`, "it was read"],
    ["tags that do not end", "subrip", `0:01 --> 0:02\n${"<font ".repeat(size)}${"<i ".repeat(size)}`, "it was read"],
    [
      "character references that do not end",
      "webvtt",
      `WEBVTT\n\n0:01 --> 0:02\n${"&am&#".repeat(size)}`,
      "it was read"
    ],
    ["blanks and arrows", "subrip", "-->   ".repeat(size), "Line 1, column 1: a cue's times"],
    ["a misplaced text of one line", "subrip", "é".repeat(megabytes / 2), "Line 1, column 1: a cue's times"],
    ["a long string", "json", `{"x":"${"a\\n".repeat(megabytes / 3)}"}`, "Line 1, column 1: it must have segments"],
    ["a long string that does not end", "json", `["${"a\\n".repeat(megabytes / 3)}`, "Line 1, column 2: this string"],
    ["blank lines before no JSON", "json", `${"\n".repeat(megabytes)}x`, "Line 15000001, column 1: a JSON value"],
    ["one long line before no JSON", "json", `["${"é".repeat(megabytes / 2)}" x]`, "Line 1, column 7500005: "]
  ])("ends with a named error, or is read: %s", (_title, format, text, message) => {
    expect(refusal(format, text)).toContain(message)
  })

  it("reports a wrong segment among many with its line and column", () => {
    const rows = times(40_000, '{"start":0,"text":"x"}').join(",\n")
    expect(refusal("json", `{"segments":[],"segments":[\n${rows},\n {"start":1,"speaker_id":1,"text":"x"}]}`)).toBe(
      "Line 40002, column 2: segments[40000].speaker_id is not read: its speaker must be in speaker"
    )
  })
})
