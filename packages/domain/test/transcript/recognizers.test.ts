import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_WORDS } from "../../src/transcript/import/limits.ts"
import { formatOf, parseTranscript, type RecognizedTranscript } from "../../src/transcript/index.ts"

const read = (document: unknown): RecognizedTranscript =>
  Result.getOrThrow(parseTranscript("json", JSON.stringify(document)))

const refusal = (document: unknown): string =>
  Result.match(parseTranscript("json", JSON.stringify(document)), {
    onFailure: ({ problem }) => problem,
    onSuccess: () => "it was read"
  })

const segment = (start: number, end: number | null, text: string, more: object = {}) => ({
  startSeconds: Math.floor(start),
  endSeconds: end === null ? null : Math.ceil(end),
  text,
  sentences: [{ text, start, end, ...more }]
})

const word = (word: string, start: number, end: number, more: object = {}) => ({ word, start, end, ...more })

describe("JSON of recognizers", () => {
  it("is read from AssemblyAI: utterances in milliseconds, or its words", () => {
    const said = (text: string, start: number, end: number, speaker: string | null) => ({
      text,
      start,
      end,
      confidence: 1,
      speaker
    })
    const words = [said("Hi,", 250, 650, "A"), said("Ada.", 700, 1100, "A"), said("Hello!", 1200, 1500, "B")]
    const utterances = [
      { ...said("Hi, Ada.", 250, 1100, "A"), words: words.slice(0, 2) },
      { ...said("Hello!", 1200, 1500, "B"), words: words.slice(2) }
    ]
    const document = { id: "x", language_code: "en_us", status: "completed", text: "Hi, Ada. Hello!", words }
    const expected = {
      language: "en-us",
      speakerMap: { 0: "A", 1: "B" },
      segments: [
        segment(0.25, 1.1, "Hi, Ada.", { speaker: "0", words: [word("Hi,", 0.25, 0.65), word("Ada.", 0.7, 1.1)] }),
        segment(1.2, 1.5, "Hello!", { speaker: "1", words: [word("Hello!", 1.2, 1.5)] })
      ]
    }
    expect(read({ ...document, utterances })).toEqual(expected)
    expect(read({ ...document, utterances: null })).toEqual(expected)
    expect(read({ text: "All.", audio_url: "https://x", words: null })).toMatchObject({
      segments: [segment(0, null, "All.")]
    })
    expect(refusal({ ...document, utterances: [{ ...utterances[0], start: 0.5 }] })).toBe(
      "utterances[0].start must be whole milliseconds, from 0 on"
    )
    expect(refusal({ status: "error", error: "no file", text: null, audio_url: "x" })).toContain("AssemblyAI")
  })

  it("is read from Deepgram: utterances, or the words of each channel", () => {
    const words = [
      { word: "hi", punctuated_word: "Hi.", start: 0.1, end: 0.5, confidence: 1, speaker: 0 },
      { word: "hello", punctuated_word: "Hello.", start: 0.6, end: 1.2, confidence: 1, speaker: 1 }
    ]
    const channel = (own: typeof words, transcript: string) => ({
      detected_language: "en",
      alternatives: [{ transcript, confidence: 1, words: own }, { transcript: "worse" }]
    })
    const utterances = words.map(({ end, punctuated_word, speaker, start }, at) => ({
      ...{ start, end, channel: 0, transcript: punctuated_word, speaker, id: "x" },
      words: words.slice(at, at + 1)
    }))
    const expected = {
      language: "en",
      speakerMap: { 0: "0", 1: "1" },
      segments: [
        segment(0.1, 0.5, "Hi.", { speaker: "0", words: [word("Hi.", 0.1, 0.5)] }),
        segment(0.6, 1.2, "Hello.", { speaker: "1", words: [word("Hello.", 0.6, 1.2)] })
      ]
    }
    const metadata = { request_id: "x", models: ["y"] }
    expect(read({ metadata, results: { channels: [channel(words, "Hi. Hello.")], utterances } })).toEqual(expected)
    expect(read({ metadata, results: { channels: [channel(words, "Hi. Hello.")] } })).toEqual(expected)
    const two = read({ results: { channels: [channel(words.slice(1), "Hello."), channel(words.slice(0, 1), "Hi.")] } })
    expect(two.speakerMap).toEqual({ 0: "Channel 1, speaker 0", 1: "Channel 0, speaker 1" })
    expect(two.segments.map(({ text }) => text)).toEqual(["Hi.", "Hello."])
  })

  it("is read from AWS Transcribe: audio segments, or its items, with speakers beside them too", () => {
    const item = (id: number, content: string, start?: number) => ({
      ...(start === undefined ? { id, type: "punctuation" } : { id, type: "pronunciation" }),
      ...(start !== undefined && { start_time: String(start), end_time: String(start + 0.5) }),
      alternatives: [
        { confidence: "1.0", content },
        { confidence: "0.1", content: "worse" }
      ]
    })
    const items = [item(0, "Sorry", 4.5), item(1, "."), item(2, "Thanks", 8.5), item(3, "!")]
    const transcripts = [{ transcript: "Sorry. Thanks!" }]
    const labels = (at: number, speaker_label: string) => ({
      ...{ start_time: String(at), end_time: String(at + 0.5), speaker_label },
      items: [{ start_time: String(at), end_time: String(at + 0.5), speaker_label }]
    })
    const speaker_labels = { speakers: 2, segments: [labels(4.5, "spk_0"), labels(8.5, "spk_1")] }
    const audio_segments = [
      { id: 0, transcript: "Sorry.", start_time: "4.5", end_time: "5.0", speaker_label: "spk_0", items: [0, 1] },
      { id: 1, transcript: "Thanks!", start_time: "8.5", end_time: "9.0", speaker_label: "spk_1", items: [2, 3] }
    ]
    const expected = {
      language: "en-US",
      speakerMap: { 0: "spk_0", 1: "spk_1" },
      segments: [
        segment(4.5, 5, "Sorry.", { speaker: "0", words: [word("Sorry.", 4.5, 5)] }),
        segment(8.5, 9, "Thanks!", { speaker: "1", words: [word("Thanks!", 8.5, 9)] })
      ]
    }
    const results = { language_code: "en-US", transcripts, items, speaker_labels }
    expect(read({ jobName: "x", status: "COMPLETED", results: { ...results, audio_segments } })).toEqual(expected)
    expect(read({ jobName: "x", results })).toEqual(expected)
    expect(read({ results: { transcripts, items: [] } }).segments).toEqual([segment(0, null, "Sorry. Thanks!")])
    expect(refusal({ results: { items: [{ ...items[0], start_time: "x" }] } })).toBe(
      "results.items[0].start_time must be seconds, from 0 on"
    )
  })

  it("is read from whisper.cpp: offsets in milliseconds", () => {
    const document = {
      systeminfo: "AVX = 1",
      model: { type: "base", audio: { ctx: 1500 } },
      params: { language: "auto" },
      result: { language: "de" },
      transcription: [
        {
          timestamps: { from: "00:00:00,250", to: "00:00:02,500" },
          offsets: { from: 250, to: 2500 },
          text: " Hallo.",
          speaker: "1"
        }
      ]
    }
    expect(read(document)).toEqual({
      language: "de",
      speakerMap: { 0: "1" },
      segments: [segment(0.25, 2.5, "Hallo.", { speaker: "0" })]
    })
  })

  it("is read from derivatives of Whisper: WhisperX, whisper-timestamped, transformers", () => {
    const spoken = [
      { word: "In", start: 0, end: 0.2, score: 1, speaker: "S1" },
      { word: "2014" },
      { word: "yes", start: 1, end: 2, speaker: "S2" }
    ]
    const whisperX = {
      language: "en",
      segments: [{ start: 0, end: 2, text: " In 2014 yes", words: spoken, speaker: "S1" }],
      word_segments: spoken
    }
    const words = [word("In", 0, 0.2), { word: "2014" }, word("yes", 1, 2, { speaker: "1" })]
    expect(read(whisperX)).toEqual({
      language: "en",
      speakerMap: { 0: "S1", 1: "S2" },
      segments: [segment(0, 2, "In 2014 yes", { speaker: "0", words })]
    })
    const timestamped = {
      text: "Hi",
      segments: [{ id: 0, start: 0, end: 1, text: "Hi", words: [{ text: "Hi", start: 0, end: 1, confidence: 1 }] }]
    }
    expect(read(timestamped).segments).toEqual([segment(0, 1, "Hi", { words: [word("Hi", 0, 1)] })])
    const chunks = [
      { timestamp: [0, 1.5], text: " Hi" },
      { timestamp: [1.5, null], text: " you" }
    ]
    expect(read({ text: "Hi you", chunks }).segments).toEqual([segment(0, 1.5, "Hi"), segment(1.5, null, "you")])
    const speakers = chunks.map((chunk) => ({ ...chunk, speaker: "S" }))
    expect(read({ text: "Hi you", chunks, speakers }).speakerMap).toEqual({ 0: "S" })
  })

  it("has words and the end of a text without segments", () => {
    const words = [word("Hello", 0.5, 0.9), word("there", 1, 1.4)]
    expect(read({ task: "transcribe", language: "english", duration: 2, text: "Hello, there.", words })).toEqual({
      language: "en",
      speakerMap: {},
      segments: [segment(0.5, 1.4, "Hello, there.", { words })]
    })
    expect(read({ text: "Hi", segments: [], words: [word("Hi", 0, 1)] }).segments).toHaveLength(1)
    expect(read({ text: "Hello", duration: 2.5 }).segments).toEqual([segment(0, 2.5, "Hello")])
  })

  it("has segments of some sentences where it has words alone", () => {
    const words = Array.from({ length: 300 }, (_, at) => word(`w${at}`, at, at + 1))
    const text = `«${words.map(({ word }, at) => (at % 10 === 9 ? `${word}.` : word)).join(" ")}»`
    const { segments } = read({ text, words })
    expect(segments.map(({ text }) => text.split(" ").length)).toEqual([40, 40, 40, 40, 40, 40, 40, 20])
    expect(segments.map(({ text }) => text).join(" ")).toBe(text)
    expect(segments.flatMap(({ sentences }) => sentences[0]?.words)).toEqual(words)
    const other = read({ text: "something else", words }).segments
    expect(other.map(({ text }) => text).join(" ")).toBe(words.map(({ word }) => word).join(" "))
    expect(other.map(({ endSeconds }) => endSeconds)).toEqual([120, 240, 300])
  })

  it("gives words that start in no segment to the nearest one", () => {
    const words = [word("a", 0, 1), word("b", 5, 6), { word: "c" }, word("d", 20, 21)]
    const segments = [
      { start: 1, end: 4, text: "one" },
      { start: 8, end: 9, text: "two" }
    ]
    const own = read({ words, segments }).segments.map(({ sentences }) =>
      ((sentences[0]?.words ?? []) as ReadonlyArray<{ readonly word: string }>).map((one) => one.word)
    )
    expect(own).toEqual([["a", "b", "c"], ["d"]])
  })

  it("never credits one speaker's lines to another", () => {
    const line = (speaker: unknown) => ({ start: 0, end: 1, text: "x", speaker })
    const { segments, speakerMap } = read({
      speaker_map: { 0: "Ada", 2: "Bob" },
      segments: ["0", "Eve", 2, "Kim", "Eve"].map(line)
    })
    expect(speakerMap).toEqual({ 0: "Ada", 1: "Eve", 2: "Bob", 3: "Kim" })
    expect(segments.map(({ sentences }) => sentences[0]?.speaker)).toEqual(["0", "1", "2", "3", "1"])
    const mixed = read({ segments: [{ start_seconds: 0, text: "x", sentences: [{ speaker: 0 }] }, line("Eve")] })
    expect(mixed.speakerMap).toEqual({ 1: "Eve" })
    expect(refusal([line({ name: "Ada" })])).toBe("segments[0].speaker must be a string or a number")
    expect(refusal([{ ...line(null), speaker_id: 7 }])).toBe(
      "segments[0].speaker_id is not read: its speaker must be in speaker"
    )
  })

  it.each([
    ["Google Speech-to-Text", { results: [{ alternatives: [{ transcript: "x", words: [] }] }] }],
    ["Azure Speech", { combinedRecognizedPhrases: [{ display: "x" }], recognizedPhrases: [] }],
    ["Rev AI", { monologues: [{ speaker: 0, elements: [] }] }],
    ["Speechmatics", { format: "2.9", results: [{ type: "word" }] }],
    [
      "ElevenLabs",
      { language_code: "en", language_probability: 1, text: "x", words: [{ text: "x", start: 0.1, end: 0.2 }] }
    ],
    ["Gladia", { result: { transcription: { full_transcript: "x" } } }],
    ["Vosk", { text: "x", result: [{ conf: 1, start: 0.1, end: 0.2, word: "x" }] }]
  ])("is refused by name in a shape that is not read: %s", (name, document) => {
    expect(refusal(document)).toContain(`transcripts of ${name} are not read: send WebVTT or SubRip`)
  })

  it.each([
    [{ text: "x", lines: [{ text: "x", start: 1 }] }, '"lines" is not read'],
    [{ segments: [], utterances: [{ text: "x" }] }, '"utterances" is not read'],
    [{ segments: [{ start: 0, text: "x", words: [{ start: 1 }] }] }, "segments[0].words[0].word must be a string"],
    [{ text: "x", words: [{ text: "x", start: 250, end: 650 }] }, "words[0].word must be a string"],
    [{ segments: [{ start: 0, text: "x", words: [{ word: "x", start: "1 s" }] }] }, "words[0].start must be seconds"],
    [[{ start: 0, text: "x", sentences: [], words: [{ word: "x" }] }], "has sentences, which name words and speaker"],
    [{ foo: [{ text: "x" }] }, '"foo" is not read'],
    [{ status: "completed", text: "Hi", lines: [{ speaker: "Ada" }] }, '"lines" is not read'],
    [{ chunks: [], turns: [{ text: "x" }] }, '"turns" is not read'],
    [{ transcription: [], words: [{ word: "x" }] }, '"words" is not read'],
    [{ results: { channels: [], lines: [{ text: "x" }] } }, '"lines" is not read'],
    [{ results: { channels: [] }, lines: [{ text: "x" }] }, '"lines" is not read'],
    [{ results: { transcripts: [], lines: [{ text: "x" }] } }, '"lines" is not read'],
    [{ foo: 1 }, "it must have segments, or a text"]
  ])("is refused where something would be lost: %#", (document, problem) => {
    expect(refusal(document)).toContain(problem)
  })

  it("has at most 50,000 segments and 250,000 words in every shape", () => {
    const times = <Item>(count: number, item: (at: number) => Item) =>
      Array.from({ length: count }, (_, at) => item(at))
    const cpp = (count: number) => ({
      transcription: times(count, (at) => ({ offsets: { from: at, to: at }, text: "x" }))
    })
    expect(read(cpp(MAX_TRANSCRIPT_SEGMENTS)).segments).toHaveLength(MAX_TRANSCRIPT_SEGMENTS)
    expect(refusal(cpp(MAX_TRANSCRIPT_SEGMENTS + 1))).toBe("a transcript has at most 50000 segments")
    const talk = (count: number) => ({
      audio_url: "x",
      text: "",
      words: times(count, (at) => ({ text: "x", start: at, end: at, speaker: String(at % 2) }))
    })
    expect(read(talk(MAX_TRANSCRIPT_SEGMENTS)).segments).toHaveLength(MAX_TRANSCRIPT_SEGMENTS)
    expect(refusal(talk(MAX_TRANSCRIPT_SEGMENTS + 1))).toBe("a transcript has at most 50000 segments")
    const one = { ...talk(0), words: times(MAX_TRANSCRIPT_WORDS + 1, () => ({ text: "x" })) }
    expect(refusal(one)).toBe("a transcript has at most 250000 words")
    expect(refusal({ ...one, words: one.words.slice(1) })).toBe("it was read")
  })

  it("is detected like other JSON", () => {
    expect(formatOf('{"results":{}}')).toBe("json")
  })
})
