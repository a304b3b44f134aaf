import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  formatOf,
  parseTranscript,
  type RecognizedTranscript,
  type TranscriptFormat
} from "../../src/transcript/index.ts"

const read = (format: TranscriptFormat, text: string): RecognizedTranscript =>
  Result.getOrThrow(parseTranscript(format, text))

const refusal = (format: TranscriptFormat, text: string): string =>
  Result.match(parseTranscript(format, text), {
    onFailure: (unreadable) => unreadable.message,
    onSuccess: () => "it was read"
  })

const said = ({ segments }: RecognizedTranscript) =>
  segments.map(({ endSeconds, startSeconds, text }) => [startSeconds, endSeconds, text])

describe("WebVTT", () => {
  it("is read with times rounded outwards to whole seconds; the sentences keep the exact times", () => {
    expect(read("webvtt", "WEBVTT\n\n00:01.250 --> 00:03.001\nHello\n")).toEqual({
      language: null,
      speakerMap: {},
      segments: [
        {
          startSeconds: 1,
          endSeconds: 4,
          text: "Hello",
          sentences: [{ text: "Hello", start: 1.25, end: 3.001 }]
        }
      ]
    })
  })

  it("has voices that become speakers in the order of their first cue", () => {
    const { segments, speakerMap } = read(
      "webvtt",
      "WEBVTT\n\n00:00.000 --> 00:02.000\n<v.loud Ann Lee>Hi</v> <v Bob>Hello there\n\n00:02.000 --> 00:03.000\n<v Ann Lee>Bye\n"
    )
    expect(speakerMap).toEqual({ 0: "Ann Lee", 1: "Bob" })
    expect(segments.map(({ text }) => text)).toEqual(["Hi Hello there", "Bye"])
    expect(segments[0]?.sentences).toEqual([
      { text: "Hi", start: 0, end: 2, speaker: "0" },
      { text: "Hello there", start: 0, end: 2, speaker: "1" }
    ])
    expect(segments[1]?.sentences).toEqual([{ text: "Bye", start: 2, end: 3, speaker: "0" }])
  })

  it.each([
    [
      "a byte order mark, and lines that end with CR LF",
      "\uFEFFWEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nHi\r\nyou\r\n"
    ],
    ["lines that end with CR", "WEBVTT\r\r00:01.000 --> 00:02.000\rHi\ryou\r"],
    ["a comma before the fraction, and hours", "WEBVTT\n\n00:00:01,000 --> 00:00:02,000\nHi\nyou"],
    ["no fraction at all", "WEBVTT\n\n0:01 --> 0:02\nHi you"],
    [
      "a header with words behind it",
      "WEBVTT - made by hand\nX-TIMESTAMP-MAP=LOCAL:0\n\n00:01.000 --> 00:02.000\nHi you"
    ],
    ["a cue right below the header", "WEBVTT\n00:01.000 --> 00:02.000\nHi you"],
    ["an identifier and settings", "WEBVTT\n\nintro - 1\n00:01.000 --> 00:02.000 align:start position:0%\nHi you"],
    [
      "notes, styles and regions",
      "WEBVTT\n\nNOTE 00:00 --> never\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\n00:01.000 --> 00:02.000\nHi you\n\nNOTE\nend"
    ],
    ["tags", "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow><i>Hi</i> <00:01.500><lang en>you</lang></c>"],
    ["a cue that says nothing", "WEBVTT\n\n00:00.000 --> 00:01.000\n\n00:01.000 --> 00:02.000\nHi you"]
  ])("is read with %s", (_, text) => {
    expect(said(read("webvtt", text))).toEqual([[1, 2, "Hi you"]])
  })

  it("may contain entities, and characters that only resemble tags or entities", () => {
    const text =
      "WEBVTT\n\n00:00.000 --> 00:01.000\n1 &lt; 2 &amp;&amp; 3 <3 &nosuch; &#x1F3A5;&#65; &#xD800; AT&T &amp;lt;"
    expect(said(read("webvtt", text))).toEqual([[0, 1, "1 < 2 && 3 <3 &nosuch; 🎥A \uFFFD AT&T &lt;"]])
  })

  it("may contain the language in its header", () => {
    expect(read("webvtt", "WEBVTT\nKind: captions\nLanguage: pt-BR\n\n00:00.000 --> 00:01.000\nOlá").language).toBe(
      "pt-BR"
    )
  })

  it.each([
    ["", "Line 1, column 1: a WebVTT file must begin with WEBVTT"],
    ["\n\nWEBVTT", "Line 1, column 1: a WebVTT file must begin with WEBVTT"],
    ["WEBVTTX\n\n", "Line 1, column 1: a WebVTT file must begin with WEBVTT"],
    ["WEBVTT\n\n00:01.000 --> 00:0x.000\nHi", "Line 3, column 15: a time such as 00:01:02.500 must stand here"],
    ["WEBVTT\n\n1\n  12 --> 00:02.000\nHi", "Line 4, column 3: a time such as 00:01:02.500 must stand here"],
    ["WEBVTT\n\n00:61.000 --> 02:00.000\nHi", "Line 3, column 1: minutes and seconds go up to 59"],
    ["WEBVTT\n\n1\n00:01 -> 00:02\nHi", "Line 4, column 1: a cue's times, with --> between them, must stand here"]
  ])("is refused with line and column: %#", (text, message) => {
    expect(refusal("webvtt", text)).toBe(message)
  })
})

describe("SubRip", () => {
  it.each([
    [
      "lines that end with CR CR LF",
      "1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nfirst\r\r\n\r\r\n2\r\r\n00:00:02,000 --> 00:00:03,000\r\r\nsecond\r\r\n"
    ],
    [
      "a blank line between all lines",
      "1\n\n00:00:01,000 --> 00:00:02,000\n\nfirst\n\n2\n\n00:00:02,000 --> 00:00:03,000\n\nsecond\n"
    ],
    [
      "indexes that begin at 0",
      "0\n\n00:00:01,000 --> 00:00:02,000\nfirst\n\n1\n\n00:00:02,000 --> 00:00:03,000\nsecond"
    ],
    [
      "an index without a cue at its end",
      "7\n00:00:01,000 --> 00:00:02,000\nfirst\n\n8\n00:00:02,000 --> 00:00:03,000\nsecond\n\n9\n\n"
    ],
    [
      "no blank line before an index",
      "1\n00:00:01,000 --> 00:00:02,000\nfirst\n2\n00:00:02,000 --> 00:00:03,000\nsecond"
    ]
  ])("has indexes that are no text: %s", (_, text) => {
    expect(said(read("subrip", text))).toEqual([
      [1, 2, "first"],
      [2, 3, "second"]
    ])
  })

  it("keeps numbers that are no indexes", () => {
    const text = "1\n00:00:01,000 --> 00:00:02,000\n42\n\n43\n\n2\n00:00:02,000 --> 00:00:03,000\nHow many?\n\n12\n"
    expect(said(read("subrip", text))).toEqual([
      [1, 2, "42 43"],
      [2, 3, "How many? 12"]
    ])
  })

  it.each([
    ["Press <Enter>", "Press <Enter>"],
    ["x<y and y>z", "x<y and y>z"],
    ["vector<3,5>", "vector<3,5>"],
    ["<v Ann>Hi <script> <00:01.000> <bold> <iframe> <br>", "<v Ann>Hi <script> <00:01.000> <bold> <iframe> <br>"],
    ['<b>a</b> <I>b</I> <u>c</u> <s >d</s> <font color="#fff" size=2>e</font> <FONT>f</FONT>', "a b c d e f"],
    ["{\\an8}{\\i1}up{\\i0} {x} {\\", "up {x} {\\"],
    ["a &lt;i&gt; &amp;amp; &eacute;&#39; AT&T ?a=1&copy=2", "a <i> &amp; é' AT&T ?a=1&copy=2"]
  ])("has five tags and ASS overrides as markup, and other text stays: %s", (text, spoken) => {
    expect(said(read("subrip", `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`))).toEqual([[1, 2, spoken]])
  })

  it("is read with the leniency of players", () => {
    const text =
      '\uFEFF1\r\n00:00:01,500 --> 00:00:02,500 X1:40 X2:600\r\n<i>Hi</i>\r\n<font color="#ff0">you</font>\r\n\r\n' +
      "2\r\n00:01:00.000 --> 00:01:01.1\r\n{\\an8}Tom &amp; AT&T\r\n\r\n--> and more\r\n3\r\n01:02 --> 01:03\r\n42\r\n"
    expect(said(read("subrip", text))).toEqual([
      [1, 3, "Hi you"],
      [60, 62, "Tom & AT&T --> and more"],
      [62, 63, "42"]
    ])
  })

  it.each([
    ["", "Line 1, column 1: there is no cue in it"],
    ["Hello\n", "Line 1, column 1: a cue's times, with --> between them, must stand here"],
    ["1\n00:00:01,000 --> 00:00:0,2,000\nHi", "Line 2, column 18: a time such as 00:01:02.500 must stand here"],
    ["1\n00:00:03,000 -> 00:00:04,000\nHi", "Line 2, column 1: a cue's times, with --> between them, must stand here"]
  ])("is refused with line and column: %#", (text, message) => {
    expect(refusal("subrip", text)).toBe(message)
  })
})

describe("JSON", () => {
  it("is read in the form that this API writes", () => {
    const sentences = [{ text: "Hello.", start: 0.5, speaker: 0, words: [{ word: "Hello" }] }]
    const document = {
      status: "ready",
      language: "en",
      speaker_map: { 0: "Ann" },
      segments: [{ start_seconds: 0, end_seconds: null, text: "Hello.", sentences }]
    }
    expect(read("json", `\uFEFF${JSON.stringify(document)}`)).toEqual({
      language: "en",
      speakerMap: { 0: "Ann" },
      segments: [{ startSeconds: 0, endSeconds: null, text: "Hello.", sentences }]
    })
  })

  it("is read in the forms that recognizers write: exact times, words, languages by name", () => {
    const document = {
      task: "transcribe",
      language: "english",
      duration: 4.2,
      segments: [
        { id: 0, start: 0.12, end: 2.5, text: " Hello there.", tokens: [1] },
        { id: 1, start: 2.5, end: 4.2, text: " Bye." },
        { id: 2, start: 4.2, end: 4.2, text: " " }
      ],
      words: [
        { word: "Bye", start: 2.6, end: 4 },
        { word: "Hello", start: 0.12, end: 0.9 },
        { word: "there", start: 1, end: 2.5 }
      ]
    }
    const [first, second] = [document.words[1], document.words[2]]
    expect(read("json", JSON.stringify(document))).toEqual({
      language: "en",
      speakerMap: {},
      segments: [
        {
          startSeconds: 0,
          endSeconds: 3,
          text: "Hello there.",
          sentences: [{ text: "Hello there.", start: 0.12, end: 2.5, words: [first, second] }]
        },
        {
          startSeconds: 2,
          endSeconds: 5,
          text: "Bye.",
          sentences: [{ text: "Bye.", start: 2.5, end: 4.2, words: [document.words[0]] }]
        }
      ]
    })
  })

  it("may name speakers with or without a map, and may have only segments or only a text", () => {
    const labelled = [
      { start: 0, end: 1, text: "a", speaker: "SPEAKER_01" },
      { start: 1, end: 2, text: "b", speaker: "SPEAKER_00" }
    ]
    const { segments, speakerMap } = read("json", JSON.stringify(labelled))
    expect(speakerMap).toEqual({ 0: "SPEAKER_01", 1: "SPEAKER_00" })
    expect(segments.map(({ sentences }) => sentences[0]?.speaker)).toEqual(["0", "1"])
    const mapped = read(
      "json",
      JSON.stringify({ speaker_map: { 7: "Ann" }, segments: [{ start: 0, end: 1, text: "a", speaker: 7 }] })
    )
    expect(mapped.speakerMap).toEqual({ 7: "Ann" })
    expect(mapped.segments[0]?.sentences[0]?.speaker).toBe("7")
    expect(said(read("json", '{"text": " All of it. "}'))).toEqual([[0, null, "All of it."]])
  })

  it.each([
    ['{\n  "segments": [\n}', "Line 3, column 1: a JSON value must stand here"],
    ["", "Line 1, column 1: a JSON value must stand here"],
    ["[1] x", "Line 1, column 5: nothing may follow here"],
    ['{"segments": [{"text": "x', "Line 1, column 24: this string is not closed, or not valid"],
    ["{}", "Line 1, column 1: it must have segments, or a text"],
    ["7", "Line 1, column 1: a transcript must be an object"],
    ['{"segments": 7}', "Line 1, column 1: segments must be a list"],
    ["[7]", "Line 1, column 1: segments[0] must be an object"],
    [
      '[\n {"start": 0, "text": "é"},\n  {"start": 1, "end_time": 2, "text": ""}]',
      "Line 3, column 3: segments[1].end_time is not read: an end must be in duration or end_seconds or end"
    ],
    ['[{"start": "1 s", "text": ""}]', "Line 1, column 2: segments[0].start must be seconds, from 0 on"],
    ['[{"text": ""}]', "Line 1, column 2: segments[0] must have start_seconds, or start"],
    ['[{"start": 0, "text": null}]', "Line 1, column 2: segments[0].text must be a string"],
    ['[{"start": 0, "text": "", "sentences": ["x"]}]', "Line 1, column 40: segments[0].sentences[0] must be an object"],
    ['{"segments": [], "speaker_map": {"0": 1}}', "Line 1, column 33: speaker_map.0 must be a string"],
    [`${"[".repeat(200)}`, "Line 1, column 102: JSON may be nested at most 100 deep"]
  ])("is refused with line and column: %#", (text, message) => {
    expect(refusal("json", text)).toBe(message)
  })
})

describe("a transcript without a declared format", () => {
  it.each([
    ["\uFEFFWEBVTT\n", "webvtt"],
    [' \n{"text": ""}', "json"],
    ["[]", "json"],
    ["1\n00:00:01,000 --> 00:00:02,000\nHi", "subrip"]
  ] as const)("is detected by its first characters: %#", (text, format) => {
    expect(formatOf(text)).toBe(format)
  })
})
