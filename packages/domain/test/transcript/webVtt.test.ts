import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parseTranscript } from "../../src/transcript/index.ts"

// Each case states a rule of https://www.w3.org/TR/webvtt1/#file-parsing or #cue-text-parsing. They agree with the files of
// web-platform-tests (webvtt/parsing/file-parsing), which were compared and are not part of this repository.

const cues = (text: string) =>
  Result.getOrThrow(parseTranscript("webvtt", text)).segments.map(({ sentences, text }) => [
    sentences[0]?.start,
    sentences[0]?.end,
    text
  ])

const texts = (text: string) => cues(text).map(([, , said]) => said)

const file = (...blocks: ReadonlyArray<string>) => ["WEBVTT", ...blocks].join("\n\n")
const cue = (text: string, from = "00:00:00.000", to = "00:00:01.000") => `${from} --> ${to}\n${text}`

describe("a WebVTT file", () => {
  it("has cues that only an empty line ends, as in automatic captions with a line of one space", () => {
    expect(texts(file(cue(" \nso today\n \t\nwe look"), cue("at it")))).toEqual(["so today we look", "at it"])
  })

  it("has cues whose identifiers begin with NOTE, STYLE and REGION", () => {
    const blocks = ["NOTE", "NOTE 7", "NOTES", "STYLE", "REGION"].map((id, at) => `${id}\n${cue(String(at))}`)
    expect(texts(file(...blocks))).toEqual(["0", "1", "2", "3", "4"])
  })

  it("has cues without an empty line between them, in every form of line ends", () => {
    const lines = ["one", cue("text1"), cue("text2"), cue("text3")]
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(texts(file(...lines).replaceAll("\n", end))).toEqual(["text1", "text2", "text3"])
      expect(texts(`WEBVTT\n\n${lines.join("\n")}`.replaceAll("\n", end))).toEqual(["text1", "text2", "text3"])
    }
  })

  it("takes the last line before the times for the identifier only directly below a cue's start", () => {
    expect(texts(file(`${cue("text1")}\nfoo\n${cue("text2")}`))).toEqual(["text1 foo", "text2"])
    expect(texts(file(`a\nb\n${cue("text")}`))).toEqual(["text"])
  })

  it("skips lines with an arrow that are no times, and reads the cue below", () => {
    const arrows = ["-->", "foo-->", "-->foo", "--->", "-->-->", "00:00:00.000 -a -->"]
    expect(texts(`WEBVTT\n\n${arrows.map((one, at) => `${one}\n${cue(`text${at}`)}`).join("\n")}`)).toEqual(
      arrows.map((_, at) => `text${at}`)
    )
  })

  it("skips notes, styles and regions, with arrows in a comment too", () => {
    const note = `NOTE ${"00:00 --> never"}\nhidden`
    expect(
      texts(file(note, "STYLE\n::cue { color: red }\n\n.rest", "REGION\nid:fred", cue("said"), "NOTE\nend"))
    ).toEqual(["said"])
  })

  it("has a header that ends at an empty line or at a cue, whatever is in it", () => {
    expect(texts(`WEBVTT\n${cue("below")}`)).toEqual(["below"])
    expect(texts(`WEBVTT\t- by hand\ngarbage\nNOTE\n${cue("below")}`)).toEqual(["below"])
    expect(texts(`WEBVTT --> 00:00\n\n${cue("below")}`)).toEqual(["below"])
    expect(texts("WEBVTT")).toEqual([])
    expect(texts("\uFEFFWEBVTT\n")).toEqual([])
  })

  it.each(["WEBVTT\f", "WEBVTT:", "webvtt", " WEBVTT", "\n\nWEBVTT", "WEBVT", "\uFEFF\uFEFFWEBVTT"])(
    "is refused without its signature: %j",
    (text) => {
      expect(parseTranscript("webvtt", `${text}\n\n${cue("text")}`)).toMatchObject({
        failure: { problem: "a WebVTT file must begin with WEBVTT", line: 1, column: 1 }
      })
    }
  )

  it("has any number of digits in its hours, two in minutes and seconds, three in the fraction; other cues are skipped", () => {
    const invalid = [
      ..."0000:00.000 00:0:00.000 00:0000.000 00:00:0.000 00:00:00000 00:00:00.00 00:00:00. 00:00:00 00:00 0".split(
        " "
      ),
      ..."0:00.000 00:000:00.000 00:00:000.000 00:00:00..000 00:00:00.0000 00:00,000 x00:00.000 00:60.000 00:60:00.000".split(
        " "
      ),
      ..."61:00.000 \v00:00.000 -00:00.000 00:00:00.000x".split(" ")
    ]
    const valid = ["00:00.000", "0:00:00.000", "000:00:00.000", "0000000:00:00.000"]
    const starts = [...invalid, ...valid].map((time) => cue(`from ${time}`, time))
    const ends = invalid.filter((time) => !time.endsWith("x")).map((time) => cue(`to ${time}`, "00:00.000", time))
    expect(texts(file(...starts, ...ends))).toEqual(valid.map((time) => `from ${time}`))
  })

  it("has times with or without blanks around them, and settings behind them", () => {
    const times = ["00:00.000-->00:01.000", "\t\f 00:00.000\t-->\f00:01.000 ", "00:00.000 --> 00:01.000align:end --> x"]
    expect(texts(file(...times.map((one, at) => `${one}\n${at}`)))).toEqual(["0", "1", "2"])
  })

  it("has cues that end before they start, which last no time", () => {
    expect(cues(file(cue("back", "00:00:01.000", "00:00:00.999"), cue("on", "01:00:00.000", "00:59:59.999")))).toEqual([
      [1, 1, "back"],
      [3600, 3600, "on"]
    ])
  })

  it("has U+FFFD for NUL", () => {
    expect(texts(file(`\0\n${cue("\0text\0")}`, cue("no", "00:00\0.000")))).toEqual(["\uFFFDtext\uFFFD"])
  })

  it("has the times of SubRip if no cue has those of WebVTT, else those cues are skipped", () => {
    const comma = cue("comma", "00:00:00,000", "00:00:01,500")
    expect(cues(file(comma))).toEqual([[0, 1.5, "comma"]])
    expect(texts(file(comma, cue("point")))).toEqual(["point"])
  })
})

describe("the text of a WebVTT cue", () => {
  it.each([
    ["<i>a</i> <c.red.b><b>b</b></c> <lang en>c</lang> <00:00:00.500>d <ruby>e<rt>f</rt></ruby>", "a b c d ef"],
    ["a < b > c <> <3> <Enter> </> <i\nx>d", "a c d"],
    ["a <3 b", "a <3 b"],
    [
      "&amp;amp; &AMP &lt;i&gt; &nbsp;&hellip; &copy &copy; &notit; &CounterClockwiseContourIntegral;",
      "&amp; & <i> … © © ¬it; ∳"
    ],
    ["&#x1F3A5;&#65; &#128; &#0; &#xD800; &#x110000; &#; &#x; &;", "🎥A € \uFFFD \uFFFD \uFFFD &#; &#x; &;"],
    ["AT&T &nosuch; & &am<b>p;", "AT&T &nosuch; & &amp;"]
  ])("has tags, and character references as in HTML: %j", (text, said) => {
    expect(texts(file(cue(text)))).toEqual([said])
  })

  it("has voices with classes and character references in their names", () => {
    const { segments, speakerMap } = Result.getOrThrow(
      parseTranscript("webvtt", file(cue("<v.loud.x  Ann &amp;\n Bob >Hi</v> <v Eve<3>you <v>all")))
    )
    expect(speakerMap).toEqual({ 0: "Ann & Bob", 1: "Eve<3" })
    expect(segments[0]?.sentences.map(({ speaker, text }) => [speaker, text])).toEqual([
      ["0", "Hi"],
      ["1", "you"],
      [undefined, "all"]
    ])
  })
})
