import { Result } from "effect"
import { expect, it } from "vitest"
import { joinedTranscript } from "../../src/internal/transcript.ts"
import { parseTranscript } from "../../src/transcript/index.ts"

const read = (document: object) => Result.getOrThrow(parseTranscript("json", JSON.stringify(document)))

it("is the transcript of one part, as it was recognized", () => {
  const transcript = read({ language: "en", segments: [{ start: 0.5, end: 2, text: "Hi", speaker: "Ann" }] })
  expect(joinedTranscript([{ startSeconds: 0, endSeconds: 9, transcript }])).toEqual(transcript)
})

it("moves segments, sentences and words to the times of the recording", () => {
  const word = { word: "Hi", start: 0.5, end: 1 }
  const transcript = read({ segments: [{ start: 0.5, end: 2.2, text: "Hi", words: [word] }] })
  const silent = { startSeconds: 0, endSeconds: 600.25, transcript: read({ text: "", language: "de" }) }
  expect(joinedTranscript([silent, { startSeconds: 600.25, endSeconds: 700, transcript }])).toEqual({
    language: "de",
    speakerMap: {},
    segments: [
      {
        startSeconds: 600,
        endSeconds: 604,
        text: "Hi",
        sentences: [{ text: "Hi", start: 600.75, end: 602.45, words: [{ word: "Hi", start: 600.75, end: 601.25 }] }]
      }
    ]
  })
})

it("ends a text without times with its part", () => {
  const parts = [0, 600].map((startSeconds) => ({
    startSeconds,
    endSeconds: startSeconds + 599.5,
    transcript: read({ text: `from ${startSeconds}` })
  }))
  expect(joinedTranscript(parts).segments).toMatchObject([
    { startSeconds: 0, endSeconds: 600, text: "from 0" },
    { startSeconds: 600, endSeconds: 1_200, text: "from 600" }
  ])
})

it("keeps the speakers of the parts apart, in sentences and in words", () => {
  const words = [{ word: "Hi", start: 0, end: 1, speaker: "B" }]
  const transcript = read({ segments: [{ start: 0, end: 2, text: "Hi", speaker: "A", words }] })
  const parts = [0, 10].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + 10, transcript }))
  const { segments, speakerMap } = joinedTranscript(parts)
  expect(speakerMap).toEqual({ 0: "A", 1: "B", 2: "A", 3: "B" })
  expect(segments.map(({ sentences }) => sentences)).toMatchObject([
    [{ speaker: "0", words: [{ speaker: "1" }] }],
    [{ speaker: "2", words: [{ speaker: "3" }] }]
  ])
})
