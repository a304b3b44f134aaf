import type { Row, SpokenWord } from "./jsonFields.ts"

/** Number of words from which on a segment ends at the end of a sentence or before a pause. */
const wordsToEnd = 40
/** Maximum number of words of a segment. */
const maxWords = 120
const pauseSeconds = 2
/** Maximum distance at which a word is searched after its predecessor in the text, in characters. */
const maxApart = 200

/**
 * Returns segments for a document that has words and no segments. A new segment starts with another speaker, and at the end of a sentence
 * or at a pause if the last one is long. Texts of segments are parts of `text` if it contains the words in order; else the joined words.
 */
export const rowsOfWords = (words: ReadonlyArray<SpokenWord>, text: string | null): ReadonlyArray<Row> => {
  const offsets = text === null ? null : offsetsIn(text, words)
  /** Returns the word before the index, with the text that follows it. */
  const behind = (index: number) => {
    const last = words[index - 1]?.word ?? ""
    return text === null || offsets === null ? last : text.slice(offsets[index - 1], offsets[index])
  }
  const starts: Array<number> = []
  for (const index of words.keys())
    if (index === 0 || mustEnd(words, starts.at(-1)!, index, behind(index))) starts.push(index)
  let lastStart = 0
  return starts.map((from, nth): Row => {
    const to = starts[nth + 1] ?? words.length
    const own = words.slice(from, to)
    const piece =
      text === null || offsets === null
        ? own.map(({ word }) => word).join(" ")
        : text.slice(nth === 0 ? 0 : offsets[from], to === words.length ? text.length : offsets[to])
    const ends = own.flatMap(({ end }) => end ?? [])
    const start = own.find((word) => word.start !== null)?.start ?? lastStart
    lastStart = start
    const end = ends.at(-1) ?? null
    const speaker = own[0]?.label ?? null
    return { start, end: end === null ? null : Math.max(start, end), text: piece.trim(), words: own, speaker }
  })
}

/** Returns whether a segment that starts with the word `from` ends before the word `index`. */
const mustEnd = (words: ReadonlyArray<SpokenWord>, from: number, index: number, lastText: string): boolean => {
  const [last, next] = [words[index - 1]!, words[index]!]
  if (last.label !== next.label || index - from >= maxWords) return true
  if (index - from < wordsToEnd) return false
  const isPause = last.end !== null && next.start !== null && next.start - last.end >= pauseSeconds
  return isPause || /[.?!…。？！]["'”’)]?$/.test(lastText.trim())
}

/** Returns the offset of each word in the text; null if a word is not found near its predecessor. */
const offsetsIn = (text: string, words: ReadonlyArray<SpokenWord>): ReadonlyArray<number> | null => {
  const offsets: Array<number> = []
  let from = 0
  for (const { word } of words) {
    const apart = text.slice(from, from + maxApart + word.length).indexOf(word)
    if (apart === -1) return null
    offsets.push(from + apart)
    from += apart + word.length
  }
  return offsets
}
