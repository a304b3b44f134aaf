import { REDACTED, type RedactionRule } from "./rules.ts"

type Found = (rule: RedactionRule) => void

const base64Url = /[\w-]/
const minJwtHead = 10

/** JSON Web Tokens: parts in base64url, of which the first begins as a JSON object does. */
export const redactJwts = (text: string, found: Found): string => {
  let result = ""
  let done = 0
  let end = 0
  for (let start = text.indexOf("eyJ"); start !== -1; start = text.indexOf("eyJ", end)) {
    const ends: Array<number> = []
    end = start
    do {
      end = skip(text, ends.length === 0 ? end : end + 1)
      ends.push(end)
    } while (text[end] === "." && ends.length < 5)
    const isToken = ends.length >= 2 && ends[0]! - start >= minJwtHead && ends[1]! - ends[0]! > 2
    if (!isToken) continue
    result += text.slice(done, start) + REDACTED
    done = end
    found("jwt")
  }
  return done === 0 ? text : result + text.slice(done)
}

const skip = (text: string, from: number): number => {
  let at = from
  while (at < text.length && base64Url.test(text[at]!)) at++
  return at
}

const scheme = /\b(bearer|basic) +([\w.~+/=-]+)/gi
/** What follows the word in prose. */
const plainWords =
  /^(?:tokens?|auth|authentication|authorization|scheme|header|format|credentials|usage|type|info|plan|access)\b/i
const knownPrefix = /\b(?:tdk_|whsec_|sk_live_|sk_test_|rk_live_|gh[opsu]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza)/g
const tokenCharacter = /[\w+/=-]/
const minKnown = 10

/** Bearer and basic credentials, and tokens of known forms. */
export const redactBearers = (text: string, found: Found): string => {
  const replaced = text.replace(scheme, (all, word: string, value: string) => {
    const isSecret = value.length >= 6 && !plainWords.test(value) && (value.length >= 16 || /[\d=]/.test(value))
    if (!isSecret) return all
    found("bearer")
    return `${word} ${REDACTED}`
  })
  return redactKnown(replaced, found)
}

const redactKnown = (text: string, found: Found): string => {
  let result = ""
  let done = 0
  for (const { 0: prefix, index } of text.matchAll(knownPrefix)) {
    if (index < done) continue
    const start = index + prefix.length
    let end = start
    while (end < text.length && tokenCharacter.test(text[end]!)) end++
    if (end - start < minKnown) continue
    result += text.slice(done, index) + REDACTED
    done = end
    found("bearer")
  }
  return done === 0 ? text : result + text.slice(done)
}

const authority = /:\/\/[^\s/"'<>?#\\]*/g

/** User and password before an address's host. */
export const redactCredentials = (text: string, found: Found): string =>
  text.replace(authority, (all) => {
    const at = all.lastIndexOf("@")
    const isMarker = all.slice(3, at) === REDACTED
    if (at === -1 || isMarker || !all.slice(3, at).includes(":")) return all
    found("credentials")
    return `://${REDACTED}${all.slice(at)}`
  })

const localPart = /[\w.+%-]/
const domainPart = /[A-Za-z0-9.-]/
const topDomain = /\.[A-Za-z]{2,24}$/
/** `logo@2x.png`, `app@1.2.js`: names of files. */
const fileEnding = /\.(?:png|jpe?g|gif|webp|svg|avif|ico|css|m?js|jsx?|tsx?|json|map|html?|vue|wasm)$/i

/** E-mail addresses but the kept one (in lower case). */
export const redactEmails = (text: string, kept: string | null, found: Found): string => {
  let result = ""
  let done = 0
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at
    const least = Math.max(done, at - 64)
    while (start > least && localPart.test(text[start - 1]!)) start--
    let end = at + 1
    const most = Math.min(text.length, at + 256)
    while (end < most && domainPart.test(text[end]!)) end++
    while (end > at + 1 && !/[A-Za-z]/.test(text[end - 1]!)) end--
    const domain = text.slice(at, end)
    if (start === at || !topDomain.test(domain) || fileEnding.test(domain)) continue
    if (text.slice(start, end).toLowerCase() === kept) continue
    result += text.slice(done, start) + REDACTED
    done = end
    found("email")
  }
  return done === 0 ? text : result + text.slice(done)
}

const digits = /\d(?:[ -]?\d)*/g
const groups = /\d+/g
const wordCharacter = /[A-Za-z0-9]/

/** Card numbers: 13 to 19 digits, alone or in groups, of a card's beginning and with Luhn's check digit. */
export const redactCards = (text: string, found: Found): string =>
  text.replace(digits, (run, at: number) => {
    if (run.length < 13) return run
    const isStuckBefore = at > 0 && wordCharacter.test(text[at - 1]!)
    const isStuckAfter = wordCharacter.test(text[at + run.length] ?? " ")
    return withoutCards(run, { isStuckBefore, isStuckAfter }, found)
  })

interface Group {
  readonly digits: string
  readonly start: number
  readonly end: number
}

const withoutCards = (
  run: string,
  { isStuckAfter, isStuckBefore }: { readonly isStuckBefore: boolean; readonly isStuckAfter: boolean },
  found: Found
): string => {
  const parts: ReadonlyArray<Group> = [...run.matchAll(groups)].map(({ 0: text, index }) => ({
    digits: text,
    start: index,
    end: index + text.length
  }))
  let result = ""
  let done = 0
  for (let first = isStuckBefore ? 1 : 0; first < parts.length; first++) {
    const last = lastOfCard(parts, first, isStuckAfter)
    if (last === -1) continue
    result += run.slice(done, parts[first]!.start) + REDACTED
    done = parts[last]!.end
    first = last
    found("card")
  }
  return result + run.slice(done)
}

/** The last group of a card number that begins with this group; -1: none does. */
const lastOfCard = (parts: ReadonlyArray<Group>, first: number, isStuckAfter: boolean): number => {
  let number = ""
  let found = -1
  for (let last = first; last < parts.length - (isStuckAfter ? 1 : 0) && number.length < 19; last++) {
    if (parts[last]!.digits.length > 19) break
    number += parts[last]!.digits
    if (isCard(number)) found = last
  }
  return found
}

/** The lengths and beginnings of Visa, Mastercard, American Express, Discover, JCB, Diners, Maestro and UnionPay. */
const cardForm =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[0-9]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|35\d{14}|6\d{15,18})$/

const isCard = (number: string): boolean => {
  if (!cardForm.test(number)) return false
  let sum = 0
  for (let at = 0; at < number.length; at++) {
    const digit = number.charCodeAt(number.length - 1 - at) - 48
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}
