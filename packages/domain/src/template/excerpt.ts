const ELLIPSIS = "…"

/** The end of a sentence, with the quotes and brackets that close it and the space after it, or with the marks that combine with it. */
const sentenceEnd = /[.!?…]["'”’»)\]]*\s|[。！？]\p{M}*/gu

const space = /\s+/gu

/** Returns the end of the last whole character (grapheme) that leaves room for an ellipsis; of the last code point if all is one character. */
const characterEnd = (text: string): number => {
  const last = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].at(-1)
  if (last !== undefined && last.index > 0) return last.index
  const end = text.length - ELLIPSIS.length
  const isInside = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(end) & 0xfc00) === 0xdc00
  return isInside ? end - 1 : end
}

/**
 * Returns the text if it has at most `maxLength` UTF-16 code units, else its start and `…`, together at most as long: cut after a sentence
 * or else before a space, if its second half has one, else between two characters.
 */
export const excerpt = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength)
  const isLate = (end: number | undefined): end is number => end !== undefined && end >= maxLength / 2
  const sentence = [...start.matchAll(sentenceEnd)]
    .map(({ 0: matched, index }) => index + matched.trimEnd().length)
    .findLast((end) => end + 1 + ELLIPSIS.length <= maxLength)
  if (isLate(sentence)) return `${start.slice(0, sentence)} ${ELLIPSIS}`
  const word = [...start.matchAll(space)].at(-1)?.index
  return `${start.slice(0, isLate(word) ? word : characterEnd(start))}${ELLIPSIS}`
}
