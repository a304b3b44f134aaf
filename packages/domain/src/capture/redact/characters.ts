/**
 * A set of characters by a table of ASCII, because a call of the expression takes 20 times as long. Beyond ASCII, a set has all
 * characters or none; only white space may differ.
 */
export interface CharacterSet {
  readonly ascii: Uint8Array
  readonly isBeyondIn: boolean
  readonly pattern: RegExp
}

/** The set that a class of one character describes. */
export const charactersOf = (pattern: RegExp): CharacterSet => ({
  ascii: Uint8Array.from({ length: 128 }, (_, code) => Number(pattern.test(String.fromCharCode(code)))),
  isBeyondIn: pattern.test("é"),
  pattern
})

/** Whether the character at a place is one of the set; false beyond the text. */
export const isIn = (set: CharacterSet, text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (code < 128) return set.ascii[code] === 1
  return mayBeBlank(code) ? set.pattern.test(text.charAt(at)) : set.isBeyondIn
}

/** Whether a code unit beyond ASCII may be white space, or is none at all: beyond the text. */
const mayBeBlank = (code: number): boolean => !(code > 0xa0 && code < 0x1680) && !(code > 0x3000 && code !== 0xfeff)

/** The end of the characters of a set that begin at a place. */
export const skip = (text: string, from: number, set: CharacterSet): number => {
  let at = from
  while (at < text.length && isIn(set, text, at)) at++
  return at
}

/** The start of the characters of a set that end before a place, but not before `least`. */
export const skipBack = (text: string, from: number, least: number, set: CharacterSet): number => {
  let at = from
  while (at > least && isIn(set, text, at - 1)) at--
  return at
}

/** The value of the digit at a place; -1: there is none. */
export const digitAt = (text: string, at: number): number => {
  const digit = text.charCodeAt(at) - 48
  return digit >= 0 && digit < 10 ? digit : -1
}
