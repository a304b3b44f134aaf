import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { Repairs } from "../../src/capture/index.ts"
import { parseTranscript, type TranscriptFormat } from "../../src/transcript/index.ts"

const early = "An end before the start became the start"
const negative = "A time before 0 became 0"

/** A read transcript by its exact times, and the places of its repairs. */
const read = (format: TranscriptFormat, text: string) => {
  const repairs = new Repairs()
  const { segments } = Result.getOrThrow(parseTranscript(format, text, repairs))
  return {
    said: segments.map(({ endSeconds, sentences: [exact], startSeconds, text }) => [
      exact?.start ?? startSeconds,
      exact?.end ?? endSeconds,
      text
    ]),
    repairs: repairs.first.map(({ repair, where }) => `${where}: ${repair}`)
  }
}

const json = (document: unknown) => read("json", JSON.stringify(document))

const refusal = (document: unknown): string =>
  Result.match(parseTranscript("json", JSON.stringify(document)), {
    onFailure: ({ problem }) => problem,
    onSuccess: () => "it was read"
  })

const cue = (times: string, text: string) => `1\n${times}\n${text}\n\n`
const good = cue("00:00:05,000 --> 00:00:06,000", "good")
const kept = [5, 6, "good"]

describe("one odd cue costs no other", () => {
  it.each([
    ["it ends before it starts", "00:00:02,020 --> 00:00:02,000", [2.02, 2.02, "odd"], early],
    ["it starts before 0", "-00:00:00,020 --> 00:00:01,000", [0, 1, "odd"], negative],
    ["it is before 0", "-00:00:02,000 --> -00:00:01,000", [0, 0, "odd"], `${negative}|${early}`],
    ["its end is no time", "00:00:01,000 --> x", null, "Left out: a time such as 00:01:02.500 must stand here"],
    ["its minutes are too many", "00:61:01,000 --> 00:62:00,000", null, "Left out: minutes and seconds go up to 59"],
    [
      "it has another arrow",
      "00:00:01,000 -> 00:00:02,000",
      null,
      "Left out: a cue's times, with --> between them, must stand here"
    ]
  ])("in SubRip: %s", (_, times, odd, repair) => {
    const expected = repair.split("|").map((one) => `line 6: ${one}`)
    const read6 = read("subrip", good + cue(times, "odd"))
    expect(read6.said).toEqual(odd === null ? [kept] : [kept, odd])
    expect(read6.repairs).toEqual(expected)
  })

  it("in WebVTT: it is clamped or skipped, and the answer says so, but not of a note", () => {
    const odd = `${cue("00:02.020 --> 00:02.000", "clamped")}${cue("00:0x.000 --> 00:02.000", "no")}NOTE 00:00 --> never\n`
    expect(read("webvtt", `WEBVTT\n\n${cue("00:05.000 --> 00:06.000", "good")}${odd}`)).toEqual({
      said: [kept, [2.02, 2.02, "clamped"]],
      repairs: [`line 8: ${early}`, "line 12: Left out: a time such as 00:01:02.500 must stand here"]
    })
  })

  it("in WebVTT with SubRip's times nothing of the first reading is said", () => {
    expect(read("webvtt", `WEBVTT\n\n${good}`)).toEqual({ said: [kept], repairs: [] })
  })
})

describe("one odd segment costs no other", () => {
  const segment = { start: 5, end: 6, text: "good" }
  const place = "segments[1]"

  it.each([
    [{ start: 2.02, end: 2, text: "odd" }, [2.02, 2.02, "odd"], `${place}: ${early}`],
    [{ start: -0.02, end: 1, text: "odd" }, [0, 1, "odd"], `${place}.start: ${negative}`],
    [{ end: 7, text: "odd" }, [6, 7, "odd"], `${place}: Without a start: it begins where the segment before it ends`],
    [{ start: 1, end: 2, text: null }, null, `${place}: Left out: ${place}.text must be a string`],
    [{ start: "x", end: 2, text: "odd" }, null, `${place}: Left out: ${place}.start must be seconds, from 0 on`],
    [7, null, `${place}: Left out: ${place} must be an object`]
  ])("in JSON: %#", (odd, expected, repair) => {
    expect(json([segment, odd])).toEqual({
      said: expected === null ? [kept] : [kept, expected],
      repairs: [repair]
    })
  })

  it("in documents of other recognizers, and one odd word costs no other", () => {
    const odd = { offsets: { from: -20, to: -40 }, text: "odd" }
    expect(json({ transcription: [odd, { offsets: { from: 5000, to: 6000 }, text: "good" }] }).said).toEqual([
      [0, 0, "odd"],
      kept
    ])
    const words = [{ word: "odd", start: 5.2, end: 5.1 }, 7, { word: "good", start: -1, end: 6 }]
    const read = json([{ ...segment, words }])
    expect(read.said).toEqual([kept])
    expect(read.repairs).toEqual([
      `segments[0].words[0]: ${early}`,
      "segments[0].words[1]: Left out: segments[0].words[1] must be an object",
      `segments[0].words[2].start: ${negative}`
    ])
  })

  it("with NaN and Infinity as Python writes them, outside of strings", () => {
    const text =
      '[{"start": NaN, "end": 1, "text": "NaN -Infinity", "p": -Infinity}, {"start": 5, "end": Infinity, "text": "b"}]'
    expect(read("json", text)).toEqual({
      said: [
        [0, 1, "NaN -Infinity"],
        [5, null, "b"]
      ],
      repairs: [
        "the file: NaN and Infinity became null",
        "segments[0]: Without a start: it begins where the segment before it ends"
      ]
    })
    const long = Array.from({ length: 20_000 }, (_, at) => `{"start": ${at}, "end": NaN, "text": "a \\" NaN"}`)
    const { said } = read("json", `[${long.join(",")}]`)
    expect([said.length, said.at(-1)]).toEqual([20_000, [19_999, null, 'a " NaN']])
  })

  it("with NaN in JSON that is refused for another reason at its line and column", () => {
    expect(Result.isFailure(parseTranscript("json", "[NaN\n x]"))).toBe(true)
    expect(parseTranscript("json", '{"text": NaN,\n "x": nope}')).toMatchObject({ failure: { line: 2, column: 7 } })
  })
})

describe("the end of a segment", () => {
  it.each([
    [{ start: 1.1, duration: 2.2 }, [1.1, 3.3]],
    [{ start: "1.1", dur: "2.2" }, [1.1, 3.3]],
    [{ start: 1, end: 2, duration: 7 }, [1, 2]],
    [{ start: 1, duration: -1 }, [1, 1]],
    [{ start: 1, duration: null, ends_sentence: true }, [1, null]]
  ])("is read from a duration, as downloaders of captions write it: %j", (times, expected) => {
    expect(json([{ ...times, text: "x" }]).said).toEqual([[...expected, "x"]])
  })

  it("is read from the duration of a word too", () => {
    const words = [{ word: "x", start: 1.1, duration: 0.2 }]
    const document = JSON.stringify([{ start: 1, end: 2, text: "x", words }])
    expect(Result.getOrThrow(parseTranscript("json", document)).segments[0]?.sentences[0]?.words).toEqual([
      { word: "x", start: 1.1, end: 1.3 }
    ])
  })

  it.each([
    ["end_time", { end_time: 2 }],
    ["endMs", { endMs: 2000 }],
    ["offset", { offset: "1540" }],
    ["duration_ms", { duration_ms: 1000 }],
    ["to", { to: 3 }],
    ["offsets", { offsets: { from: 0, to: 1 } }]
  ])("refuses the document by the name of a key that may state an end in another unit: %s", (key, times) => {
    const segments = [
      { start: 0, end: 1, text: "good" },
      { start: 1, ...times, text: "x" }
    ]
    expect(refusal(segments)).toBe(`segments[1].${key} is not read: an end must be in duration or end_seconds or end`)
  })
})
