/** The beginning of a text, in whole characters, of at most so many UTF-16 code units. */
export const cut = (text: string, max: number): string =>
  text.slice(0, (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max)

/** A value that a page gave, as a text. Runs nothing of the page: empty for an object. */
export const textOf = (value: unknown): string =>
  value == null || typeof value === "object" || typeof value === "function" ? "" : String(value)

/** NUL and lone surrogates, which no store keeps. */
const unstorable = /[\0\p{Cs}]/gu

/** A text in which U+FFFD stands for what cannot be stored. */
export const storable = (text: string): string => text.replace(unstorable, "\ufffd")
