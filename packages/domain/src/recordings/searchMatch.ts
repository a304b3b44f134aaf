import { startOfSegment } from "../transcript/spoken.ts"
import type { Segment } from "../transcript/Transcript.ts"
import type { SearchTerm } from "./search.ts"
import { highlightsOf } from "./searchHighlights.ts"
import { cutText, TokenSet } from "./searchWords.ts"

/** Maximum length of the sentence of a match, in characters. */
export const MAX_MATCH_CHARACTERS = 240

/** Number of characters after a first match in which a sentence with more of the words is looked for. */
const maxBetterCharacters = 4 * 1024

/** Number of characters before the first word of the search in a sentence that is cut. */
const contextCharacters = 60

/** A sentence of a transcript that has words of a search. */
export interface SpokenMatch {
  /** Start of the sentence, in whole seconds from the start of the video. */
  readonly startSeconds: number
  readonly text: string
}

const startIn = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : otherwise

/** Returns the sentences of a segment: those with a text, if they are all of the segment's, else the whole segment. */
const sentencesOf = (segment: Segment): ReadonlyArray<SpokenMatch> => {
  const { sentences, text } = segment
  const startSeconds = Math.floor(startOfSegment(segment))
  const texts = sentences.flatMap((one) => (typeof one.text === "string" ? [one.text] : []))
  const isWhole = texts.length > 1 && texts.length === sentences.length && texts.join(" ") === text
  if (!isWhole) return [{ startSeconds, text }]
  return texts.map((text, index) => ({ startSeconds: startIn(sentences[index]!.start, startSeconds), text }))
}

/** Returns how many of the words and pairs of a search a text has. */
const scoreOf = (text: string, terms: ReadonlyArray<SearchTerm>): number => {
  const found = new TokenSet(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  found.take(text)
  const tokens = [...found.tokens]
  let score = 0
  for (const { exact, words } of terms) {
    for (const word of words) if (tokens.some((token) => token.startsWith(word))) score += 1
    for (const word of exact) if (found.tokens.has(word)) score += 1
  }
  return score
}

/** Returns the text, or the part of it that begins shortly before the first word of the search. */
const excerpt = (text: string, terms: ReadonlyArray<SearchTerm>): string => {
  const whole = text.trim()
  if (whole.length <= MAX_MATCH_CHARACTERS) return whole
  const [first = 0] = highlightsOf(whole, terms)[0] ?? []
  const start = first <= MAX_MATCH_CHARACTERS / 2 ? 0 : whole.lastIndexOf(" ", first - contextCharacters) + 1 || first
  const isNear = first - start < MAX_MATCH_CHARACTERS / 2
  const from = isNear ? start : first
  const before = from === 0 ? "" : "…"
  const rest = whole.slice(from)
  const room = MAX_MATCH_CHARACTERS - before.length
  return before + (rest.length <= room ? rest : `${cutText(rest, room - 1).trimEnd()}…`)
}

/** Finds the sentence of a transcript that has most of a search's words, the first of several. Its segments are read in pages. */
export class MatchFinder {
  private readonly terms: ReadonlyArray<SearchTerm>
  private readonly all: number
  private readonly hasPairs: boolean
  private best: SpokenMatch | undefined
  private score = 0
  private previous: SpokenMatch | undefined
  private left = Number.POSITIVE_INFINITY

  constructor(terms: ReadonlyArray<SearchTerm>) {
    this.terms = terms
    this.all = terms.reduce((sum, { exact, words }) => sum + exact.length + words.length, 0)
    this.hasPairs = terms.some(({ exact }) => exact.length > 1)
  }

  /** True if no later sentence is looked at. */
  get isDone(): boolean {
    return this.left <= 0 || this.score === this.all
  }

  /** Takes the next segments. */
  take(segments: ReadonlyArray<Segment>) {
    for (const sentence of segments.flatMap(sentencesOf)) {
      if (this.isDone) return
      this.left -= sentence.text.length
      this.offer(sentence)
      // A phrase may continue from one sentence into the next.
      if (this.hasPairs && this.previous !== undefined && !this.isDone) {
        this.offer({ ...this.previous, text: `${this.previous.text} ${sentence.text}` })
      }
      this.previous = sentence
    }
  }

  get match(): SpokenMatch | undefined {
    return this.best && { ...this.best, text: excerpt(this.best.text, this.terms) }
  }

  private offer(sentence: SpokenMatch) {
    const score = scoreOf(sentence.text, this.terms)
    if (score <= this.score) return
    if (this.score === 0) this.left = maxBetterCharacters
    this.best = sentence
    this.score = score
  }
}
