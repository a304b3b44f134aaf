import * as Result from "effect/Result"
import { MAX_JSON_DEPTH } from "../json.ts"
import { suggest } from "../suggest.ts"
import { isTemplateFilter, type TemplateFilter, templateFilters } from "./filters.ts"
import { addKey, noKeys, type StringShape } from "./keys.ts"
import type { Placeholder } from "./Placeholder.ts"
import type { Template } from "./Template.ts"

/** Error in a template and its position. Lines and columns count from 1; a column is one Unicode code point. */
export interface TemplateError {
  readonly message: string
  readonly line: number
  readonly column: number
}

/** Maximum length of a template, in UTF-16 code units. */
export const MAX_TEMPLATE_LENGTH = 65_535

interface Cursor {
  readonly text: string
  readonly variables: ReadonlySet<string>
  at: number
  readonly placeholders: Array<Placeholder & { readonly start: number; readonly end: number }>
  readonly errors: Array<{ readonly message: string; readonly at: number }>
}

/**
 * Reads a payload template: a JSON text (RFC 8259) in which `{{name}}`, of one of the `variables`, or `{{name | filter}}` may stand inside a
 * string, a key included, or in the place of a value. Refused is whatever could give invalid JSON or lose a value: placeholders glued to a number, an
 * escape or each other, unknown names, keys that are or could become the same, nesting past `MAX_JSON_DEPTH`.
 * Two braces that are not a placeholder are written `{\u007b` inside a string.
 *
 * All unknown names and bad keys are reported, and the first thing after which the text cannot be read on.
 */
export const parseTemplate = <Variable extends string>(
  text: string,
  variables: ReadonlyArray<Variable>
): Result.Result<Template<Variable>, ReadonlyArray<TemplateError>> => {
  const cursor: Cursor = { text, variables: new Set(variables), at: 0, placeholders: [], errors: [] }
  readText(cursor)
  // Without errors, each placeholder names one of the variables.
  if (cursor.errors.length === 0) return Result.succeed({ parts: cut(cursor) as Template<Variable>["parts"] })
  const positionOf = positionsIn(text)
  return Result.fail(
    cursor.errors.toSorted((one, other) => one.at - other.at).map(({ message, at }) => ({ message, ...positionOf(at) }))
  )
}

const readText = (cursor: Cursor): boolean => {
  const { text } = cursor
  if (text.length > MAX_TEMPLATE_LENGTH) {
    return stop(cursor, MAX_TEMPLATE_LENGTH, `a template is at most ${MAX_TEMPLATE_LENGTH} characters long`)
  }
  // Half a surrogate pair has no UTF-8, so it could not be sent as it is written.
  const loneSurrogate = text.search(/\p{Cs}/u)
  if (loneSurrogate !== -1) return stop(cursor, loneSurrogate, "this is half a character (a lone surrogate)")
  return readValue(cursor, 0) && readEnd(cursor)
}

const readEnd = (cursor: Cursor): boolean => {
  skipWhiteSpace(cursor)
  return (
    cursor.at === cursor.text.length || stop(cursor, cursor.at, `nothing can follow here, but ${next(cursor)} does`)
  )
}

/** Reads one value; false if the text cannot be read on. */
const readValue = (cursor: Cursor, depth: number): boolean => {
  skipWhiteSpace(cursor)
  if (cursor.text.startsWith("{{", cursor.at)) return readPlaceholder(cursor, false)
  switch (cursor.text[cursor.at]) {
    case '"':
      return readString(cursor) !== undefined
    case "{":
      return readObject(cursor, depth + 1)
    case "[":
      return readArray(cursor, depth + 1)
    default:
      return readScalar(cursor)
  }
}

const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

const readScalar = (cursor: Cursor): boolean =>
  accept(cursor, scalar) !== undefined ||
  stop(cursor, cursor.at, `a JSON value or a placeholder must stand here, not ${next(cursor)}`)

const readArray = (cursor: Cursor, depth: number): boolean => {
  if (depth > MAX_JSON_DEPTH) return tooDeep(cursor)
  cursor.at++
  if (acceptMark(cursor, "]")) return true
  for (;;) {
    if (!readValue(cursor, depth)) return false
    if (acceptMark(cursor, "]")) return true
    if (!acceptMark(cursor, ",")) return stop(cursor, cursor.at, `"," or "]" must stand here, not ${next(cursor)}`)
  }
}

const readObject = (cursor: Cursor, depth: number): boolean => {
  if (depth > MAX_JSON_DEPTH) return tooDeep(cursor)
  const keys = noKeys()
  cursor.at++
  if (acceptMark(cursor, "}")) return true
  for (;;) {
    skipWhiteSpace(cursor)
    const start = cursor.at
    if (cursor.text[start] !== '"') return stop(cursor, start, `a key in quotes must stand here, not ${next(cursor)}`)
    const key = readString(cursor)
    if (key === undefined) return false
    const problem = addKey(keys, key)
    if (problem !== undefined) cursor.errors.push({ message: problem, at: start })
    if (!acceptMark(cursor, ":")) return stop(cursor, cursor.at, `":" must stand here, not ${next(cursor)}`)
    if (!readValue(cursor, depth)) return false
    if (acceptMark(cursor, "}")) return true
    if (!acceptMark(cursor, ",")) return stop(cursor, cursor.at, `"," or "}" must stand here, not ${next(cursor)}`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings, so they end the run
const plainRun = /[^"\\{\x00-\x1f]+/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Reads a string from its opening quote; `undefined` if the text cannot be read on. */
const readString = (cursor: Cursor): StringShape | undefined => {
  const { text } = cursor
  const opening = cursor.at
  const chunks: Array<string> = []
  cursor.at++
  for (let start = cursor.at; ; ) {
    if (accept(cursor, plainRun) !== undefined || accept(cursor, escapeSequence) !== undefined) continue
    const character = text[cursor.at]
    if (character === "{" && text[cursor.at + 1] !== "{") {
      cursor.at++
      continue
    }
    if (character === '"' || character === "{") {
      chunks.push(JSON.parse(`"${text.slice(start, cursor.at)}"`) as string)
      if (character === '"') {
        cursor.at++
        return chunks
      }
      if (!readPlaceholder(cursor, true)) return undefined
      start = cursor.at
      continue
    }
    if (character === undefined) stop(cursor, opening, "this string is not closed")
    else if (character === "\\") stop(cursor, cursor.at, "this is not one of JSON's escapes")
    else stop(cursor, cursor.at, "a control character in a string must be escaped")
    return undefined
  }
}

const placeholder = /\{\{[ \t]*([\w.]+)[ \t]*(?:\|[ \t]*([\w.]+)[ \t]*)?\}\}/y

const readPlaceholder = (cursor: Cursor, inString: boolean): boolean => {
  const start = cursor.at
  const match = accept(cursor, placeholder)
  if (match === undefined) return stop(cursor, start, '"{{" must be followed by the name of a variable and "}}"')
  const name = match[1] ?? ""
  if (!cursor.variables.has(name)) {
    cursor.errors.push({ message: `there is no variable ${name}${meantBy(name, cursor)}`, at: start })
  }
  const filter =
    match[2] === undefined ? undefined : readFilter(cursor, match[2], start + match[0].lastIndexOf(match[2]))
  cursor.placeholders.push({ variable: name, inString, ...(filter !== undefined && { filter }), start, end: cursor.at })
  return true
}

const readFilter = (cursor: Cursor, name: string, at: number): TemplateFilter | undefined => {
  if (isTemplateFilter(name)) return name
  const meant = cursor.errors.length >= MAX_SUGGESTIONS ? undefined : suggest(name, templateFilters)
  const hint = meant === undefined ? `: there are ${templateFilters.join(", ")}` : ` (did you mean ${meant}?)`
  cursor.errors.push({ message: `there is no filter ${name}${hint}`, at })
  return undefined
}

/** Maximum number of errors per template that name the variable that was probably meant, because each costs a search of all names. */
const MAX_SUGGESTIONS = 20

/** `title` is meant to be `recording.title`. */
const meantBy = (written: string, { errors, variables }: Cursor): string => {
  if (errors.length >= MAX_SUGGESTIONS) return ""
  const names = [...variables]
  const meant = suggest(written, names) ?? names.find((name) => name.endsWith(`.${written}`))
  return meant === undefined ? "" : ` (did you mean ${meant}?)`
}

const accept = (cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined => {
  pattern.lastIndex = cursor.at
  const match = pattern.exec(cursor.text)
  if (match === null) return undefined
  cursor.at = pattern.lastIndex
  return match
}

const whiteSpace = /[ \t\n\r]+/y

const skipWhiteSpace = (cursor: Cursor): void => {
  accept(cursor, whiteSpace)
}

const acceptMark = (cursor: Cursor, mark: string): boolean => {
  skipWhiteSpace(cursor)
  if (cursor.text[cursor.at] !== mark) return false
  cursor.at++
  return true
}

const stop = (cursor: Cursor, at: number, message: string): false => {
  cursor.errors.push({ message, at })
  return false
}

const tooDeep = (cursor: Cursor): false =>
  stop(cursor, cursor.at, `arrays and objects are nested at most ${MAX_JSON_DEPTH} deep`)

/** Returns the text at the cursor, for a message. */
const next = ({ text, at }: Cursor): string => {
  const codePoint = text.codePointAt(at)
  if (codePoint === undefined) return "the end"
  return text.startsWith("{{", at) ? "a placeholder" : JSON.stringify(String.fromCodePoint(codePoint))
}

/** Gives the positions of offsets that ascend, in one pass over the text. */
const positionsIn = (text: string) => {
  let line = 1
  let column = 1
  let next = 0
  return (at: number): { readonly line: number; readonly column: number } => {
    while (next < at) {
      const codePoint = text.codePointAt(next) ?? 0
      const endsLine = codePoint === LF || (codePoint === CR && text.charCodeAt(next + 1) !== LF)
      if (endsLine) line++
      column = endsLine ? 1 : column + 1
      next += codePoint > 0xffff ? 2 : 1
    }
    return { line, column }
  }
}

const LF = 0x0a
const CR = 0x0d

const cut = ({ text, placeholders }: Cursor): ReadonlyArray<string | Placeholder> => {
  const parts: Array<string | Placeholder> = []
  let from = 0
  for (const { start, end, ...placeholder } of placeholders) {
    parts.push(text.slice(from, start), placeholder)
    from = end
  }
  return [...parts, text.slice(from)]
}
