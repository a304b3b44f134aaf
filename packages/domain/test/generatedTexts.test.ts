import { describe, expect, it } from "vitest"
import {
  chaptersOf,
  MAX_GENERATED,
  readSummary,
  textSourceOf,
  withSummary,
  writtenByPerson
} from "../src/internal/recordings.ts"

const answerOf = (answer: unknown, endSeconds = 60) => readSummary(JSON.stringify(answer), endSeconds)

describe("the texts in a model's answer", () => {
  it("are read from a JSON object, also inside other text", () => {
    const texts = { title: "Checkout fails", summary: "The card is declined.", chapters: [] }
    expect(answerOf(texts)).toEqual(texts)
    expect(readSummary(`Here it is:\n\`\`\`json\n${JSON.stringify(texts)}\n\`\`\`\nBye`, 60)).toEqual(texts)
  })

  it.each(["", "I cannot do that.", "[]", "{", "}{", "null", '{"title": 1}', '{"title": "  ", "chapters": "none"}'])(
    "are none in the answer %j",
    (answer) => {
      expect(readSummary(answer, 60)).toBeNull()
    }
  )

  it("are one line of plain text: without control characters, marks of direction, markup and links", () => {
    const made = answerOf({
      title: "# **Pay** <script>alert(1)</script>\u202E",
      summary: "One\u0000\n\ttwo\u200B [three](https://evil.example) ![x](y) \uD800`"
    })
    expect(made?.title).toBe("Pay scriptalert(1)/script")
    expect(made?.summary).toBe("One two [three] (https://evil.example) ![x] (y)")
  })

  it.each(["title", "summary"] as const)("cut a %s of more than the maximum length, and keep one of it", (field) => {
    const longest = "x".repeat(MAX_GENERATED[field])
    expect(answerOf({ [field]: longest })?.[field]).toBe(longest)
    expect(answerOf({ [field]: `${longest}x` })?.[field]).toBe(`${longest.slice(1)}…`)
  })

  it("have chapters in order, each start once, without invalid ones", () => {
    const chapters = [
      { start_seconds: 30.7, title: "Later" },
      { start_seconds: 0, title: "Start" },
      { start_seconds: 0, title: "Start again" },
      ...[-1, 60, "5", null].map((start_seconds) => ({ start_seconds, title: "Outside" })),
      { start_seconds: 5, title: " " },
      { start_seconds: 6 },
      "chapter",
      null
    ]
    expect(answerOf({ chapters })?.chapters).toEqual([
      { startSeconds: 0, title: "Start" },
      { startSeconds: 30, title: "Later" }
    ])
  })

  it(`have at most ${MAX_GENERATED.chapters} chapters`, () => {
    const chapters = Array.from({ length: MAX_GENERATED.chapters + 1 }, (_, start_seconds) => ({
      start_seconds,
      title: "x".repeat(MAX_GENERATED.chapterTitle + 1)
    }))
    const made = answerOf({ chapters })?.chapters ?? []
    expect(made).toHaveLength(MAX_GENERATED.chapters)
    expect(made.every(({ title }) => title.length === MAX_GENERATED.chapterTitle)).toBe(true)
  })
})

const untitled = { title: null, summary: null, video: {} }
const made = { title: "Made", summary: "Made too", chapters: [{ startSeconds: 3, title: "Part" }] }

describe("generated texts of a recording", () => {
  it("fill what no person wrote, and are marked", () => {
    const after = withSummary(untitled, untitled, made)
    expect(after).toMatchObject({ title: "Made", summary: "Made too" })
    expect(textSourceOf(after, "title")).toBe("generated")
    const titled = { ...untitled, title: "Mine" }
    const kept = withSummary(titled, titled, made)
    expect(kept).toMatchObject({ title: "Mine", summary: "Made too" })
    expect([textSourceOf(kept, "title"), textSourceOf(kept, "summary")]).toEqual(["person", "generated"])
  })

  it("replace earlier generated texts, but none that a person confirmed", () => {
    const before = withSummary(untitled, untitled, made)
    const again = { title: "Again", summary: null, chapters: [] }
    expect(withSummary(before, before, again)).toEqual({
      ...untitled,
      title: "Again",
      summary: "Made too",
      generated: { title: true, summary: true }
    })
    const confirmed = writtenByPerson(before, ["title"])
    expect(textSourceOf(confirmed, "title")).toBe("person")
    expect(withSummary(confirmed, confirmed, again).title).toBe("Made")
  })

  it.each([
    ["wrote a text", untitled, "Mine"],
    ["deleted the generated text", { ...untitled, title: "Made", generated: { title: true } } as const, null]
  ])("lose to a person who %s in the meantime", (_, before, title) => {
    const now = writtenByPerson({ ...before, title }, ["title"])
    expect(withSummary(now, before, made).title).toBe(title)
  })

  it("leave no mark when all are a person's", () => {
    const before = withSummary(untitled, untitled, { ...made, chapters: [] })
    expect(writtenByPerson(before, ["title", "summary"])).not.toHaveProperty("generated")
  })

  it("have the chapters that start in a trimmed video, with its times", () => {
    const chapters = [0, 10, 20].map((startSeconds) => ({ startSeconds, title: `${startSeconds}` }))
    const trim = { startSeconds: 9.5, endSeconds: 20, state: "ready" } as const
    const recording = { ...untitled, generated: { chapters } }
    expect(chaptersOf(recording)).toEqual(chapters)
    expect(chaptersOf({ ...recording, video: { trim } })).toEqual([{ startSeconds: 0, title: "10" }])
    expect(chaptersOf({ ...recording, video: { trim: { ...trim, state: "processing" } } })).toEqual(chapters)
  })
})
