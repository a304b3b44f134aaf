import type { SearchTerm } from "./search.ts"
import { cutWord, isUnspaced, partsOfRun, plain } from "./searchWords.ts"

/** Start and end of a word in a text, in code units. */
export type Highlight = readonly [start: number, end: number]

const runs = /[\p{L}\p{N}\p{M}]+/gu

/** Returns where a text has words of a search, in order. */
export const highlightsOf = (text: string, terms: ReadonlyArray<SearchTerm>): ReadonlyArray<Highlight> => {
  const starts = terms.flatMap(({ words }) => words)
  const exact = new Set(terms.flatMap(({ exact }) => exact))
  const found: Array<Highlight> = []
  const add = (start: number, end: number) => {
    const last = found.at(-1)
    if (last !== undefined && last[1] >= start) found[found.length - 1] = [last[0], Math.max(last[1], end)]
    else found.push([start, end])
  }
  for (const run of text.matchAll(runs)) {
    let at = run.index
    for (const part of partsOfRun(run[0])) {
      if (isUnspaced(part)) for (const [start, end] of charactersOf(part, starts)) add(at + start, at + end)
      else {
        const word = cutWord(plain(part))
        if (exact.has(word) || starts.some((start) => word.startsWith(start))) add(at, at + part.length)
      }
      at += part.length
    }
  }
  return found
}

/** Returns where a text without spaces has characters, or two neighbouring characters, of a search. */
const charactersOf = (part: string, starts: ReadonlyArray<string>): ReadonlyArray<Highlight> => {
  const wanted = new Set(starts.filter(isUnspaced))
  const found: Array<Highlight> = []
  let previous: { readonly at: number; readonly text: string } | undefined
  let at = 0
  for (const character of part) {
    const text = plain(character)
    const end = at + character.length
    if (text !== "") {
      if (wanted.has(text)) found.push([at, end])
      if (previous !== undefined && wanted.has(previous.text + text)) found.push([previous.at, end])
      previous = { at, text }
    }
    at = end
  }
  return found
}
