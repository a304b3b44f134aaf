/** The beginning of a text, in whole characters, of at most so many UTF-16 code units. */
export const cut = (text: string, max: number): string =>
  text.slice(0, (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max)

/** A value that a page gave, as a text. Runs nothing of the page: empty for an object. */
export const textOf = (value: unknown): string =>
  value == null || typeof value === "object" || typeof value === "function" ? "" : String(value)
