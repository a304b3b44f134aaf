import { type CharacterSet, charactersOf, isIn, skip, skipBack } from "./characters.ts"
import { hasLongValue, isSecretHeader, isSecretName } from "./names.ts"
import { REDACTED, type RedactionRule } from "./rules.ts"

/** A name with its separator, and the properties of the value that follows. */
interface Named {
  readonly name: string
  /** The quote after the name, with the backslashes before it; empty if there is none. */
  readonly quote: string
  readonly separator: ":" | "="
}

/** A value from `start` up to `end`, and its replacement. */
interface Value {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const maxNameLength = 64
/** Maximum number of characters in which the end of a list or an object is searched. */
const maxContainerLength = 20_000
/** Maximum number of characters that are read around an attribute in its tag, or around a field in its object. */
const maxAround = 400

const nameCharacter = charactersOf(/[\w.$%[\]\u0080-\uffff-]/)
const quotes = "\"'`"
const blank = charactersOf(/[ \t]/)
const anyBlank = charactersOf(/\s/)
const backslash = charactersOf(/\\/)
const entity = "&quot;"

/**
 * Redacts values by the names of secrets: query parameters and form fields (`name=value`), JSON fields at any depth of escapes,
 * fields of printed objects, attributes, and inputs and name-value pairs whose name is next to the value. Reads each character a
 * bounded number of times.
 */
export const redactNamedValues = (
  text: string,
  isExtraName: (name: string) => boolean,
  count: (rule: RedactionRule, wasRedacted: boolean) => void,
  redactDecoded: (text: string) => string
): string => {
  const isBesideSecretName = makeBeside(text)
  const decodedValue = makeDecodedValue(text, redactDecoded)
  let result = ""
  let done = 0
  for (let at = nextSeparator(text, 0); at !== -1; at = nextSeparator(text, Math.max(at + 1, done))) {
    const named = nameBefore(text, at, done)
    if (named === undefined) continue
    const rule = ruleOf(named, isExtraName, () => isBesideSecretName(at))
    const isParameter = rule === undefined && named.separator === "="
    const value = isParameter ? decodedValue(at) : rule && valueAfter(text, at, named)
    if (value === undefined) continue
    result += text.slice(done, value.start) + value.replacement
    done = value.end
    if (rule !== undefined) count(rule, text.startsWith(REDACTED, value.start))
  }
  return done === 0 ? text : result + text.slice(done)
}

const nextSeparator = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x3a || code === 0x3d) return at
  }
  return -1
}

const nameBefore = (text: string, separatorAt: number, from: number): Named | undefined => {
  const separator = text[separatorAt] as ":" | "="
  const next = text[separatorAt + 1]
  if (next === separator || (separator === "=" && next === ">")) return undefined
  const afterQuote = skipBack(text, separatorAt, Math.max(from, separatorAt - 4), anyBlank)
  let end = afterQuote
  if (end > from && quotes.includes(text[end - 1]!)) end = skipBack(text, end - 1, from, backslash)
  else if (text.endsWith(entity, end) && end - entity.length >= from) end -= entity.length
  const start = skipBack(text, end, Math.max(from, end - maxNameLength), nameCharacter)
  if (start === end) return undefined
  return { name: text.slice(start, end), quote: text.slice(end, afterQuote), separator }
}

const ruleOf = (
  { name, separator }: Named,
  isExtraName: (name: string) => boolean,
  isBesideSecretName: () => boolean
): RedactionRule | undefined => {
  const lower = name.toLowerCase()
  if (hasLongValue(lower)) return "header"
  if (isExtraName(lower) || isSecretName(name)) return separator === "=" ? "query_parameter" : "field"
  if (isSecretHeader(lower)) return "header"
  return (lower === "value" || lower === "content") && isBesideSecretName() ? "field" : undefined
}

const pairName = /\b(?:name|key|id|type|autocomplete|property|field)\\*["']?\s*[:=]\s*\\*["']?([\w.%[\]-]+)/gi
const open = charactersOf(/[<{]/)
const close = charactersOf(/[>}]/)

/** A pair that names a secret: its start, and the start of its value. */
interface Pair {
  readonly start: number
  readonly valueStart: number
}

/**
 * Returns a function that tells whether the tag or object around a position names a secret: `<input type="password" value=…>`,
 * `{"name":"token","value":…}`. Positions must ascend, because the brackets and pairs of the text are read once. No pair extends beyond a
 * bracket.
 */
const makeBeside = (text: string): ((at: number) => boolean) => {
  let read = 0
  let opened = -1
  let closed = -1
  let pair: Pair | null = { start: -1, valueStart: -1 }
  return (at) => {
    for (; read < at; read++) if (isIn(open, text, read)) opened = read
    if (opened === -1 || at - opened > maxAround) return false
    if (closed < opened) closed = nextOf(text, opened, close)
    if (pair !== null && pair.start < opened) pair = nextPair(text, opened)
    return pair !== null && pair.valueStart < Math.min(closed, opened + 1 + 2 * maxAround)
  }
}

const nextOf = (text: string, from: number, set: CharacterSet): number => {
  let at = from
  while (at < text.length && !isIn(set, text, at)) at++
  return at
}

const nextPair = (text: string, from: number): Pair | null => {
  pairName.lastIndex = from
  for (let found = pairName.exec(text); found !== null; found = pairName.exec(text)) {
    const [all, name = ""] = found
    if (isSecretName(name) || isSecretHeader(name.toLowerCase())) {
      return { start: found.index, valueStart: found.index + all.length - name.length }
    }
  }
  return null
}

const valueAfter = (text: string, separatorAt: number, named: Named): Value | undefined => {
  const start = skip(text, separatorAt + 1, named.quote ? anyBlank : blank)
  if (start === text.length) return undefined
  const escapes = skip(text, start, backslash)
  const quote = text[escapes]
  if (quote !== undefined && quotes.includes(quote))
    return quoted(text, { start: escapes, quote, depth: escapes - start })
  if (text.startsWith(entity, start))
    return upTo(text, start + entity.length, text.indexOf(entity, start + entity.length))
  if (quote === "{" || quote === "[") return container(text, start, named)
  return named.separator === "=" || named.quote !== "" || hasLongValue(named.name)
    ? bare(text, start, named)
    : loose(text, start, { named, isApart: start > separatorAt + 1 })
}

const upTo = (text: string, start: number, end: number): Value | undefined =>
  end === start ? undefined : { start, end: end === -1 ? text.length : end, replacement: REDACTED }

/** Reads a string whose quotes have `depth` backslashes before them. A string without an end continues to the end of its line. */
const quoted = (
  text: string,
  { depth, quote, start }: { readonly start: number; readonly quote: string; readonly depth: number }
): Value | undefined => {
  let end = start + 1
  for (let escapes = 0; end < text.length && text[end] !== "\n"; end++) {
    if (text[end] === "\\") {
      escapes++
      continue
    }
    const isEnd = text[end] === quote && (depth === 0 ? escapes % 2 === 0 : escapes <= depth)
    if (isEnd) return upTo(text, start + 1, end - Math.min(escapes, depth))
    escapes = 0
  }
  return upTo(text, start + 1, end)
}

/** Reads a list or an object. Without an end, it includes all characters in which the end was searched. Brackets in strings do not count. */
const container = (text: string, start: number, { quote }: Named): Value => {
  const last = Math.min(text.length, start + maxContainerLength)
  let depth = 0
  let end = start
  let escapes = 0
  let stringEscapes = -1
  while (end < last && (quote !== "" || text[end] !== "\n")) {
    const character = text[end++]!
    if (character === "\\") {
      escapes++
      continue
    }
    if (character === '"') {
      if (stringEscapes === -1) stringEscapes = escapes
      else if (stringEscapes === 0 ? escapes % 2 === 0 : escapes <= stringEscapes) stringEscapes = -1
    } else if (stringEscapes === -1) {
      if (character === "{" || character === "[") depth++
      else if ((character === "}" || character === "]") && --depth === 0) break
    }
    escapes = 0
  }
  return { start, end, replacement: inQuotes(quote) }
}

const inQuotes = (quote: string): string => quote + REDACTED + quote

const nothing = new Set(["", "true", "false", "null", "undefined"])

const bareCharacter = charactersOf(/[^\s&"'<>`\\]/)
const fieldCharacter = charactersOf(/[^\s&"'<>`\\,}\])]/)
const headerCharacter = charactersOf(/[^"'<>`\\\r\n]/)

const bare = (text: string, start: number, { name, quote, separator }: Named): Value | undefined => {
  if (hasLongValue(name)) return upTo(text, start, skip(text, start, headerCharacter))
  const end = skip(text, start, separator === "=" ? bareCharacter : fieldCharacter)
  if (nothing.has(text.slice(start, end))) return undefined
  return { start, end, replacement: separator === ":" ? inQuotes(quote) : REDACTED }
}

const strong = /pass|pwd|secret|cvv|cvc|iban|ssn/i
const digit = /\d/
const place = /^[\d:]+$/
const ibanGroups = /^[A-Z]{2}\d\d(?: ?[A-Z0-9]){10,30}/
const maxIban = 70

/** Reads `name: value` in prose, where most values are words: only values that look like secrets are redacted, and all values of passwords. */
const loose = (
  text: string,
  start: number,
  { isApart, named }: { readonly named: Named; readonly isApart: boolean }
): Value | undefined => {
  // An address. It may hold further names, so its end is not looked for.
  if (text[start] === "/") return undefined
  const iban = ibanGroups.exec(text.slice(start, start + maxIban))
  if (iban !== null) return upTo(text, start, start + iban[0].length)
  const end = skip(text, start, fieldCharacter)
  const value = text.slice(start, end)
  // A place in a file.
  if (nothing.has(value) || (!isApart && place.test(value))) return undefined
  const isSecret = strong.test(named.name) || value.length >= 20 || (value.length >= 6 && digit.test(value))
  return isSecret ? { start, end, replacement: REDACTED } : undefined
}

/** Redacts named values within percent-encoded values. Each character is decoded once, whatever precedes it. */
const makeDecodedValue = (text: string, redactDecoded: (text: string) => string) => {
  let percent = text.indexOf("%")
  let decodedUntil = 0
  return (separatorAt: number): Value | undefined => {
    const start = separatorAt + 1
    if (start < decodedUntil || percent === -1) return undefined
    if (percent < start) percent = text.indexOf("%", start)
    const end = skip(text, start, bareCharacter)
    decodedUntil = end
    if (percent === -1 || percent >= end || end - start < minEncoded) return undefined
    const decoded = decode(text.slice(start, end))
    const redacted = redactDecoded(decoded)
    if (redacted === decoded) return undefined
    return { start, end, replacement: encodeURIComponent(redacted.replace(loneSurrogate, "\ufffd")) }
  }
}

/** Minimum length of an encoded name with a value: four characters, one of them encoded. */
const minEncoded = 6
const loneSurrogate = /\p{Surrogate}/gu
const asciiEscape = /%[0-7][\da-f]/gi
const otherEscape = /%[89a-f]/i
const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const decode = (text: string): string =>
  otherEscape.test(text)
    ? decodeBytes(text)
    : text.replace(asciiEscape, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)))

/** Decodes percent-encoding. Bytes that are not UTF-8 become U+FFFD, so that they hide nothing next to them. */
const decodeBytes = (text: string): string => {
  const bytes = utf8.encode(text)
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === 0x25 ? hexDigit(bytes[at + 1]) : -1
    const low = high === -1 ? -1 : hexDigit(bytes[at + 2])
    bytes[end++] = low === -1 ? bytes[at]! : high * 16 + low
    if (low !== -1) at += 2
  }
  return fromUtf8.decode(bytes.subarray(0, end))
}

/** Returns the value of a hexadecimal digit; -1 if it is not one. */
const hexDigit = (code = 0): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
