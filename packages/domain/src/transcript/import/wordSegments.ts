import type { Row, SpokenWord } from "./jsonFields.ts"

/** From this number of words on, a segment ends with a sentence or before a pause. */
const wordsToEnd = 40
/** A segment ends after this number of words. */
const maxWords = 120
const pauseSeconds = 2
/** How far from its predecessor a word is searched in the text, in characters. */
const maxApart = 200

/**
 * Segments of a document that has words, and no segments. A new one begins with another speaker, and when the last one is
 * long: at a sentence's end or a pause. The segments' texts are pieces of `text`, where the words are found in it one after
 * another; else the words, joined.
 */
export const rowsOfWords = (words: ReadonlyArray<SpokenWord>, text: string | null): ReadonlyArray<Row> => {
  const offsets = text === null ? null : offsetsIn(text, words)
  /** The word before the index, with what stands behind it in the text. */
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

/** Whether a segment that began with the word `from` ends before the word `index`. */
const mustEnd = (words: ReadonlyArray<SpokenWord>, from: number, index: number, lastText: string): boolean => {
  const [last, next] = [words[index - 1]!, words[index]!]
  if (last.label !== next.label || index - from >= maxWords) return true
  if (index - from < wordsToEnd) return false
  const isPause = last.end !== null && next.start !== null && next.start - last.end >= pauseSeconds
  return isPause || /[.?!…。？！]["'”’)]?$/.test(lastText.trim())
}

/** Where each word begins in the text; null if one is not found near its predecessor. */
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
