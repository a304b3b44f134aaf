import * as Result from "effect/Result"
import { excerpt } from "../template/excerpt.ts"
import { type Chapter, MAX_GENERATED, type Summary } from "./generatedTexts.ts"

/** Control characters, surrogates, and characters that are invisible or change the direction of the text around them. */
const unreadable =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

const markup = /[<>`*]/gu

const spaces = /\s+/gu

const headingMark = /^[#\s-]+/u

/** Returns the text in one line, without control characters and markup; null if it is no text. A long text is cut. */
const plainText = (value: unknown, maxLength: number): string | null => {
  if (typeof value !== "string") return null
  // Four times the maximum: what is removed is not counted, and what is long costs nothing.
  const text = value
    .slice(0, 4 * maxLength)
    .replace(unreadable, " ")
    .replace(markup, "")
    .replaceAll("](", "] (")
    .replace(spaces, " ")
    .replace(headingMark, "")
    .trim()
  return text === "" ? null : excerpt(text, maxLength)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const chapterOf = (value: unknown, endSeconds: number): Chapter | null => {
  if (!isObject(value)) return null
  const { start_seconds: start } = value
  const title = plainText(value.title, MAX_GENERATED.chapterTitle)
  const isInside = typeof start === "number" && start >= 0 && start < endSeconds
  return title === null || !isInside ? null : { startSeconds: Math.floor(start), title }
}

/** Returns the valid chapters in order, each start once. Invalid ones are dropped alone. */
const chaptersIn = (value: unknown, endSeconds: number): ReadonlyArray<Chapter> => {
  if (!Array.isArray(value)) return []
  const chapters = value.map((one) => chapterOf(one, endSeconds)).filter((one) => one !== null)
  const byStart = new Map(chapters.reverse().map((chapter) => [chapter.startSeconds, chapter]))
  return [...byStart.values()].sort((a, b) => a.startSeconds - b.startSeconds).slice(0, MAX_GENERATED.chapters)
}

/**
 * Returns the texts in a model's answer: a JSON object with `title`, `summary` and `chapters`, which other text may surround. Null if it has
 * none that is usable. The answer is data: its other properties are ignored. `endSeconds` is the end of the video, before which chapters start.
 */
export const readSummary = (answer: string, endSeconds: number): Summary | null => {
  const json = Result.try((): unknown => JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)))
  if (Result.isFailure(json) || !isObject(json.success)) return null
  const { chapters, summary, title } = json.success
  const made: Summary = {
    title: plainText(title, MAX_GENERATED.title),
    summary: plainText(summary, MAX_GENERATED.summary),
    chapters: chaptersIn(chapters, endSeconds)
  }
  return made.title === null && made.summary === null && made.chapters.length === 0 ? null : made
}
