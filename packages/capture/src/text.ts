/** Returns the start of a text, in whole characters, with at most `max` UTF-16 code units. */
export const cut = (text: string, max: number): string =>
  text.slice(0, (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max)

/** Returns a value of the page as text, without running code of the page; empty for an object. */
export const textOf = (value: unknown): string =>
  value == null || typeof value === "object" || typeof value === "function" ? "" : String(value)

/** NUL and lone surrogates, which no store accepts. */
const unstorable = /[\0\p{Cs}]/gu

/** Returns a text with U+FFFD instead of characters that cannot be stored. */
export const storable = (text: string): string => text.replace(unstorable, "\ufffd")
