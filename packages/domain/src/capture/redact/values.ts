import { hasLongValue, isSecretHeader, isSecretName } from "./names.ts"
import { REDACTED, type RedactionRule } from "./rules.ts"

/** A name and a separator, and what they say of the value behind. */
interface Named {
  readonly name: string
  /** The quote behind the name, with the backslashes before it; empty: none. */
  readonly quote: string
  readonly separator: ":" | "="
}

/** A value from `start` up to `end`; what replaces it. */
interface Value {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const maxNameLength = 64
/** How far a list or an object is read for its end. */
const maxContainerLength = 20_000
/** How far an attribute's tag, or a field's object, is read around it. */
const maxAround = 400

const nameCharacter = /[\w.$%[\]\u0080-\uffff-]/
const quotes = "\"'`"
const blank = /[ \t]/
const anyBlank = /\s/
const entity = "&quot;"

/**
 * Replaces the values of names of secrets: query parameters and form fields (`name=value`), JSON fields in any depth of escapes,
 * fields of printed objects, attributes, and inputs and name-value pairs whose name stands beside the value. Reads each character
 * a bounded number of times.
 */
export const redactNamedValues = (
  text: string,
  isExtraName: (name: string) => boolean,
  found: (rule: RedactionRule, wasRedacted: boolean) => void,
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
    if (rule !== undefined) found(rule, text.startsWith(REDACTED, value.start))
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
  let end = separatorAt
  const blanks = Math.max(from, end - 4)
  while (end > blanks && anyBlank.test(text[end - 1]!)) end--
  const afterQuote = end
  if (end > from && quotes.includes(text[end - 1]!)) {
    end--
    while (end > from && text[end - 1] === "\\") end--
  } else if (text.endsWith(entity, end) && end - entity.length >= from) end -= entity.length
  const quote = text.slice(end, afterQuote)
  const least = Math.max(from, end - maxNameLength)
  let start = end
  while (start > least && nameCharacter.test(text[start - 1]!)) start--
  return start === end ? undefined : { name: text.slice(start, end), quote, separator }
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

/** Whether the tag or object around a place names a secret: `<input type="password" value=…>`, `{"name":"token","value":…}`. */
const makeBeside = (text: string): ((at: number) => boolean) => {
  let known = -1
  let names = false
  return (at) => {
    const before = text.slice(Math.max(0, at - maxAround), at)
    const start = Math.max(before.lastIndexOf("<"), before.lastIndexOf("{"))
    if (start === -1) return false
    const from = at - before.length + start + 1
    if (from === known) return names
    known = from
    names = namesSecret(text.slice(from, from + 2 * maxAround))
    return names
  }
}

const namesSecret = (around: string): boolean => {
  const end = around.search(/[>}]/)
  const inside = end === -1 ? around : around.slice(0, end)
  pairName.lastIndex = 0
  for (let pair = pairName.exec(inside); pair !== null; pair = pairName.exec(inside)) {
    if (isSecretName(pair[1]!) || isSecretHeader(pair[1]!.toLowerCase())) return true
  }
  return false
}

const valueAfter = (text: string, separatorAt: number, named: Named): Value | undefined => {
  let start = separatorAt + 1
  const isBlank = named.quote ? anyBlank : blank
  while (start < text.length && isBlank.test(text[start]!)) start++
  if (start === text.length) return undefined
  let escapes = start
  while (text[escapes] === "\\") escapes++
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

/** A string whose quotes have `depth` backslashes before them; one without an end goes to the end of its line. */
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

/** A list or an object; without an end, all up to where its end was looked for. Brackets in strings do not count. */
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

/** Not `&` alone: it separates parameters. */
const bareEnd = /[\s&"'<>`\\]/
const fieldEnd = /[\s&"'<>`\\,}\])]/
const headerEnd = /["'<>`\\\r\n]/

const endOf = (text: string, start: number, isEnd: RegExp): number => {
  let end = start
  while (end < text.length && !isEnd.test(text[end]!)) end++
  return end
}

const bare = (text: string, start: number, { name, quote, separator }: Named): Value | undefined => {
  if (hasLongValue(name)) return upTo(text, start, endOf(text, start, headerEnd))
  const end = endOf(text, start, separator === "=" ? bareEnd : fieldEnd)
  if (nothing.has(text.slice(start, end))) return undefined
  return { start, end, replacement: separator === ":" ? inQuotes(quote) : REDACTED }
}

const strong = /pass|pwd|secret|cvv|cvc|iban|ssn/i
const digit = /\d/
const place = /^[\d:]+$/
const ibanGroups = /^[A-Z]{2}\d\d(?: ?[A-Z0-9]){10,30}/

/** `name: value` in prose, where most values are words: those that look like secrets, and every one of a password. */
const loose = (
  text: string,
  start: number,
  { isApart, named }: { readonly named: Named; readonly isApart: boolean }
): Value | undefined => {
  const iban = ibanGroups.exec(text.slice(start, start + 70))
  if (iban !== null) return upTo(text, start, start + iban[0].length)
  const end = endOf(text, start, fieldEnd)
  const value = text.slice(start, end)
  // A place in a file, or an address.
  if (nothing.has(value) || value.startsWith("/") || (!isApart && place.test(value))) return undefined
  const isSecret = strong.test(named.name) || value.length >= 20 || (value.length >= 6 && digit.test(value))
  return isSecret ? { start, end, replacement: REDACTED } : undefined
}

/** Values in percent-encoding may hold what has names of its own. Each character is decoded once, whatever stands before it. */
const makeDecodedValue = (text: string, redactDecoded: (text: string) => string) => {
  let percent = text.indexOf("%")
  let decodedUntil = 0
  return (separatorAt: number): Value | undefined => {
    const start = separatorAt + 1
    if (start < decodedUntil || percent === -1) return undefined
    if (percent < start) percent = text.indexOf("%", start)
    const end = endOf(text, start, bareEnd)
    decodedUntil = end
    if (percent === -1 || percent >= end) return undefined
    const decoded = decode(text.slice(start, end))
    if (decoded === undefined) return undefined
    const redacted = redactDecoded(decoded)
    return redacted === decoded ? undefined : { start, end, replacement: encodeURIComponent(redacted) }
  }
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
