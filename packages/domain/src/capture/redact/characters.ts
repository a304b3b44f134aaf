/**
 * A set of characters, as a table for ASCII, because a call of a regular expression takes 20 times as long. Beyond ASCII, a set has all
 * characters or none, except for white space.
 */
export interface CharacterSet {
  readonly ascii: Uint8Array
  readonly isBeyondIn: boolean
  readonly pattern: RegExp
}

/** Returns the set of characters that a pattern of one character matches. */
export const charactersOf = (pattern: RegExp): CharacterSet => ({
  ascii: Uint8Array.from({ length: 128 }, (_, code) => Number(pattern.test(String.fromCharCode(code)))),
  isBeyondIn: pattern.test("é"),
  pattern
})

/** Returns whether the character at a position is in the set; false beyond the text. */
export const isIn = (set: CharacterSet, text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (code < 128) return set.ascii[code] === 1
  return mayBeBlank(code) ? set.pattern.test(text.charAt(at)) : set.isBeyondIn
}

/** Returns whether a code unit beyond ASCII can be white space, or is beyond the text. */
const mayBeBlank = (code: number): boolean => !(code > 0xa0 && code < 0x1680) && !(code > 0x3000 && code !== 0xfeff)

/** Returns the end of the run of characters of a set that starts at a position. */
export const skip = (text: string, from: number, set: CharacterSet): number => {
  let at = from
  while (at < text.length && isIn(set, text, at)) at++
  return at
}

/** Returns the start of the run of characters of a set that ends before a position; at least `least`. */
export const skipBack = (text: string, from: number, least: number, set: CharacterSet): number => {
  let at = from
  while (at > least && isIn(set, text, at - 1)) at--
  return at
}

/** Returns the value of the digit at a position; -1 if there is none. */
export const digitAt = (text: string, at: number): number => {
  const digit = text.charCodeAt(at) - 48
  return digit >= 0 && digit < 10 ? digit : -1
}
