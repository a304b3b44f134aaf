/** Characters that have no shape of their own: controls, marks of direction, line separators, halves of a surrogate pair. */
const shapeless = /[\p{C}\p{Zl}\p{Zp}]/u

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

const utf16Escapes = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join("")

const utf8Escapes = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\x${hex(byte, 2)}`).join("")

/**
 * The text with `\u001b` for each control: a terminal obeys them, and pasted, `ESC[201~` and Ctrl-C run what follows. Line feeds
 * and tabs stay. In a JSON text the escapes mean the same.
 */
export const visibleText = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, (one) => (one === "\n" || one === "\t" ? one : utf16Escapes(one)))

/** A value as JSON on one line or, with `indent`, on several, in ASCII where a character has no shape. */
export const visibleJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) =>
    one === "\n" ? one : utf16Escapes(one)
  )

/**
 * Returns a word of a shell in which no character has a special meaning. A text with shapeless characters is in bash's and zsh's
 * `$'…'`; in it `'` and `!` are escaped too, because the history of old shells looks for quotes without regard to `\`. A word
 * contains no NUL.
 */
export const shellWord = (text: string): string => {
  if (!shapeless.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${text.replaceAll("\0", "\ufffd").replace(/[\\'!\p{C}\p{Zl}\p{Zp}]/gu, (one) => shellEscapes[one] ?? utf8Escapes(one))}'`
}

const shellEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }
