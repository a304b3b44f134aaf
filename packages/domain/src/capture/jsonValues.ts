const [quote, comma, openBracket, openBrace] = [...'",[{'].map((character) => character.charCodeAt(0))

/**
 * Whether a JSON text has more than so many values. To parse a text of many small values takes far longer than one of the same
 * length with few, so they are counted before it is parsed. Takes linear time, and accepts any text.
 */
export const hasMoreValues = (text: string, max: number): boolean => {
  // Each value takes a separator or a bracket, and so 2 characters with the value itself.
  if (text.length <= max) return false
  let values = 1
  for (let at = 0; at < text.length && values <= max; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma || code === openBracket || code === openBrace) values++
  }
  return values > max
}

/** The place of the quote that ends the string that begins at `start`. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at
  }
  return text.length
}

/** Whether an odd number of backslashes is before a place. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text[first - 1] === "\\") first--
  return (at - first) % 2 === 1
}
