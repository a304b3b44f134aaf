import { describe, expect, it } from "vitest"
import {
  highlightsOf,
  MAX_MATCH_CHARACTERS,
  MatchFinder,
  ownerWords,
  parseSearch,
  type SearchTerm
} from "../src/internal/recordings.ts"
import type { Segment } from "../src/transcript/index.ts"

const termsOf = (text: string): ReadonlyArray<SearchTerm> => {
  const parsed = parseSearch(text)
  return "terms" in parsed ? parsed.terms : []
}

const segment = (startSeconds: number, text: string, sentences: Segment["sentences"] = []): Segment => ({
  startSeconds,
  endSeconds: null,
  text,
  sentences
})

const matchOf = (text: string, ...segments: ReadonlyArray<Segment>) => {
  const finder = new MatchFinder(termsOf(text))
  finder.take(segments)
  return finder.match
}

const highlighted = (text: string, search: string) =>
  highlightsOf(text, termsOf(search)).map(([start, end]) => text.slice(start, end))

describe("a parsed search", () => {
  it("has ten words at most, in terms and in phrases", () => {
    const words = "a b c d e f g h i j"
    const ofTen = termsOf(words)
    expect(ofTen).toHaveLength(10)
    expect(termsOf(`${words} k`)).toEqual(ofTen)
    const [phrase] = termsOf(`"${words} k"`)
    expect(phrase).toEqual(termsOf(`"${words}"`)[0])
    expect(termsOf(`"${words}" k`)).toHaveLength(1)
    expect(phrase).toMatchObject({ words: [], owner: null })
    // Ten words and nine pairs.
    expect(phrase!.exact).toHaveLength(19)
  })

  it("has two neighbouring characters each of a word without spaces, of its first 11 characters, and owners by the whole word", () => {
    expect(termsOf("山田太郎")).toEqual([{ words: ["山田", "田太", "太郎"], exact: [], owner: "山田太郎" }])
    expect(termsOf("一二三四五六七八九十百")[0]!.words).toHaveLength(10)
    expect(termsOf("一二三四五六七八九十百千")[0]!.words).toHaveLength(10)
    expect(ownerWords({ name: "山田太郎 Taro", email: "t@acme.test" })).toContain("山田太郎")
  })

  it("cuts words to 64 characters", () => {
    expect(termsOf("x".repeat(64))).toEqual(termsOf("x".repeat(65)))
    expect(termsOf("x".repeat(63))).not.toEqual(termsOf("x".repeat(64)))
  })
})

describe("the sentence of a match", () => {
  it("is the first that has most words of the search, with its start", () => {
    const said = [
      segment(0, "The card works."),
      segment(8, "My Cárd was declined."),
      segment(15, "Card declined again.")
    ]
    expect(matchOf("card decl", ...said)).toEqual({ startSeconds: 8, text: "My Cárd was declined." })
    expect(matchOf("works", ...said)).toEqual({ startSeconds: 0, text: "The card works." })
    expect(matchOf("refund", ...said)).toBeUndefined()
  })

  it("is one of the segment's sentences if they are all of its text", () => {
    const sentences = [
      { text: "Hello.", start: 3.2 },
      { text: "It fails.", start: 5.9 }
    ]
    expect(matchOf("fails", segment(3, "Hello. It fails.", sentences))).toEqual({ startSeconds: 5, text: "It fails." })
    expect(matchOf("fails", segment(3, "Hello! It fails.", sentences))?.startSeconds).toBe(3)
    const odd = [
      { text: "Hello.", start: -1 },
      { text: "It fails.", start: "x" }
    ] as Segment["sentences"]
    expect(matchOf("fails", segment(3, "Hello. It fails.", odd))).toEqual({ startSeconds: 3, text: "It fails." })
  })

  it("joins two segments if a phrase continues from one into the next", () => {
    const said = [segment(0, "declined was"), segment(4, "the payment was"), segment(9, "declined twice")]
    expect(matchOf('"was declined"', ...said)).toEqual({ startSeconds: 4, text: "the payment was declined twice" })
  })

  it("has a limited length, and begins shortly before the first word of the search", () => {
    const exact = `refund ${"a".repeat(MAX_MATCH_CHARACTERS - 7)}`
    expect(matchOf("refund", segment(0, exact))?.text).toBe(exact)
    const beyond = matchOf("refund", segment(0, `${exact}a`))!.text
    expect(beyond).toHaveLength(MAX_MATCH_CHARACTERS)
    expect(beyond.endsWith("a…")).toBe(true)
    const { text } = matchOf("refund", segment(0, `${"word ".repeat(2_000)}refund ${"word ".repeat(2_000)}`))!
    expect(text).toHaveLength(MAX_MATCH_CHARACTERS)
    expect(text).toMatch(/^…word .{10,80} refund word .*…$/)
    expect(matchOf("尾", segment(0, `${"頭".repeat(5_000)}尾`))?.text).toBe("…尾")
    expect(matchOf("😀a", segment(0, `a${"😀".repeat(300)}`))?.text.isWellFormed()).toBe(true)
  })
})

describe("the highlights of a text", () => {
  it("are the words of the search, whole, and the characters of words without spaces", () => {
    expect(highlighted("Crème: the CREMES, a cre", "creme")).toEqual(["Crème", "CREMES"])
    expect(highlighted("pay payment", '"pay"')).toEqual(["pay"])
    expect(highlighted("iPhone15の画面で支払いが", "画面 支払い iph")).toEqual(["iPhone15", "画面", "支払い"])
    expect(highlighted("nothing", "else")).toEqual([])
  })
})
