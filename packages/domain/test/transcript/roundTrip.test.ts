import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Segment } from "../../src/index.ts"
import { parseTranscript, type RecognizedTranscript, webVttCue, webVttHead } from "../../src/transcript/index.ts"

/** Text as captions can hold it: no blanks but single spaces in between. Hostile characters come often. */
const line = fc
  .array(
    fc.oneof(
      fc.constantFrom("<", ">", "&", "&amp;", "-->", "<b>", "</v>", "{", "NOTE", "WEBVTT", "7", "00:01.000"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 })
    ),
    { minLength: 1, maxLength: 6 }
  )
  .map((parts) => parts.join(" ").replace(/\s+/g, " ").trim())
  .filter((text) => text !== "" && !text.includes("\uFEFF"))

/** Times in milliseconds, one cue after the other, as recognizers tell them. */
const cues = fc.array(
  fc.record({
    gap: fc.nat(5_000),
    length: fc.nat(90_000),
    voices: fc.array(fc.record({ name: fc.nat(2), text: line }), { minLength: 1, maxLength: 3 })
  }),
  { maxLength: 12 }
)

const transcript = fc
  .tuple(cues, fc.uniqueArray(line, { minLength: 3, maxLength: 3 }), fc.boolean())
  .map(([rows, names, areNamed]): RecognizedTranscript => {
    const numbers = new Map<number, string>()
    const numberOf = (name: number) => {
      if (!numbers.has(name)) numbers.set(name, String(numbers.size))
      return numbers.get(name)!
    }
    let at = 0
    const segments = rows.map(({ gap, length, voices }): Segment => {
      const start = (at + gap) / 1000
      at += gap + length
      const end = at / 1000
      const said = areNamed ? voices : [voices[0]!]
      return {
        startSeconds: Math.floor(start),
        endSeconds: Math.ceil(end),
        text: said.map(({ text }) => text).join(" "),
        sentences: said.map(({ name, text }) =>
          areNamed ? { text, start, end, speaker: numberOf(name) } : { text, start, end }
        )
      }
    })
    const speakerMap = Object.fromEntries([...numbers].map(([name, number]) => [number, names[name]!]))
    return { language: null, speakerMap, segments }
  })

const webVttOf = ({ segments, speakerMap }: Pick<RecognizedTranscript, "segments" | "speakerMap">) =>
  webVttHead + segments.map((segment, index) => webVttCue(segment, segments[index + 1] ?? null, speakerMap)).join("")

const parsed = (format: "webvtt" | "subrip" | "json", text: string) => Result.getOrThrow(parseTranscript(format, text))

const clock = (seconds: number) => {
  const ms = Math.round(seconds * 1000)
  const part = (value: number, width = 2) => String(Math.floor(value)).padStart(width, "0")
  return `${part(ms / 3_600_000)}:${part((ms / 60_000) % 60)}:${part((ms / 1000) % 60)},${part(ms % 1000, 3)}`
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** SubRip knows no voices: as it is written, each cue is one sentence. */
const subRipOf = ({ segments }: RecognizedTranscript) =>
  segments
    .map(({ sentences, text }, index) => {
      const [{ end, start }] = sentences as unknown as readonly [{ readonly start: number; readonly end: number }]
      // A brace with a backslash is SubRip's own.
      return `${index + 1}\r\n${clock(start)} --> ${clock(end)}\r\n${escaped(text).replaceAll("{", "&#123;")}\r\n`
    })
    .join("\r\n")

describe("a transcript that is written and read again", () => {
  it("is unchanged as WebVTT, with voices and exact times", () => {
    fc.assert(
      fc.property(transcript, (one) => {
        expect(parsed("webvtt", webVttOf(one))).toEqual(one)
      })
    )
  })

  it("is unchanged as SubRip, except for the voices", () => {
    fc.assert(
      fc.property(transcript, (one) => {
        fc.pre(one.segments.length > 0)
        const voiceless = one.segments.map(({ sentences, text, ...times }) => ({
          ...times,
          text,
          sentences: [{ text, start: sentences[0]?.start, end: sentences[0]?.end }]
        }))
        expect(parsed("subrip", subRipOf(one))).toEqual({ language: null, speakerMap: {}, segments: voiceless })
      })
    )
  })

  it("is unchanged as JSON, in this API's shape and in a recognizer's", () => {
    fc.assert(
      fc.property(transcript, (one) => {
        const own = {
          language: one.language,
          speaker_map: one.speakerMap,
          segments: one.segments.map(({ endSeconds, sentences, startSeconds, text }) => ({
            start_seconds: startSeconds,
            end_seconds: endSeconds,
            text,
            sentences
          }))
        }
        expect(parsed("json", JSON.stringify(own))).toEqual(one)
        const whisper = { language: "english", segments: one.segments.flatMap(({ sentences }) => sentences[0] ?? []) }
        const read = parsed("json", JSON.stringify(whisper))
        expect(read.language).toBe("en")
        expect(read.segments.map(({ endSeconds, startSeconds }) => [startSeconds, endSeconds])).toEqual(
          one.segments.map(({ endSeconds, startSeconds }) => [startSeconds, endSeconds])
        )
      })
    )
  })

  it("is read or refused without an exception, whatever the text", () => {
    const broken = fc.array(fc.oneof(line, fc.constantFrom("WEBVTT", "", "\n\n", "00:01 --> 00:02", "{", "[", '"')))
    fc.assert(
      fc.property(broken, fc.constantFrom("webvtt", "subrip", "json"), (lines, format) => {
        expect(["Success", "Failure"]).toContain(parseTranscript(format, lines.join("\n"))._tag)
      })
    )
  })
})

describe("captions", () => {
  it("have whole seconds if no exact times are known; the last one gets a fixed duration", () => {
    const segments: ReadonlyArray<Segment> = [
      { startSeconds: 1, endSeconds: null, text: "One", sentences: [] },
      { startSeconds: 3, endSeconds: 4, text: "Two --> <b>", sentences: [{ text: "else", start: 9, end: 10 }] },
      { startSeconds: 3661, endSeconds: null, text: "Three", sentences: [] }
    ]
    expect(webVttOf({ segments, speakerMap: {} })).toBe(
      "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nOne\n\n00:00:03.000 --> 00:00:04.000\nTwo --&gt; &lt;b&gt;\n\n" +
        "01:01:01.000 --> 01:01:06.000\nThree\n"
    )
  })
})
