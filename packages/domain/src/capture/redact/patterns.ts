import { charactersOf, isIn, skip, skipBack } from "./characters.ts"
import { REDACTED, type RedactionRule } from "./rules.ts"

type CountRedaction = (rule: RedactionRule) => void

const privateKeyEnd = "PRIVATE KEY-----"
const privateKeyStart = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g

/** Redacts private keys up to their end or, if it is missing, up to the end of the text. */
export const redactPrivateKeys = (text: string, count: CountRedaction): string => {
  if (!text.includes(privateKeyEnd)) return text
  let result = ""
  let done = 0
  for (const { 0: begin, index } of text.matchAll(privateKeyStart)) {
    if (index < done) continue
    const end = text.indexOf(begin.replace("BEGIN", "END"), index)
    result += text.slice(done, index) + REDACTED
    done = end === -1 ? text.length : end + begin.length - 2
    count("field")
  }
  return result + text.slice(done)
}

const base64Url = charactersOf(/[\w-]/)
const minJwtHead = 10
const maxJwtParts = 5

/** Redacts JSON Web Tokens: parts in base64url, the first of which starts like a JSON object. */
export const redactJwts = (text: string, count: CountRedaction): string => {
  let result = ""
  let done = 0
  let end = 0
  for (let start = text.indexOf("eyJ"); start !== -1; start = text.indexOf("eyJ", end)) {
    end = skip(text, start, base64Url)
    if (end - start < minJwtHead || text[end] !== ".") continue
    const second = end + 1
    end = skip(text, second, base64Url)
    if (end - second < 2) continue
    for (let parts = 2; parts < maxJwtParts && text[end] === "."; parts++) end = skip(text, end + 1, base64Url)
    result += text.slice(done, start) + REDACTED
    done = end
    count("jwt")
  }
  return done === 0 ? text : result + text.slice(done)
}

const scheme = /\b(bearer|basic) +([\w.~+/=-]+)/gi
/** Words that follow `bearer` or `basic` in prose. */
const plainWords =
  /^(?:tokens?|auth|authentication|authorization|scheme|header|format|credentials|usage|type|info|plan|access)\b/i
const digitOrPadding = /[\d=]/
const knownPrefix = /\b(?:tdk_|whsec_|sk_live_|sk_test_|rk_live_|gh[opsu]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza)/g
const tokenCharacter = charactersOf(/[\w+/=-]/)
const minKnown = 10

/** Redacts bearer and basic credentials, and tokens of known forms. */
export const redactBearers = (text: string, count: CountRedaction): string => {
  const replaced = text.replace(scheme, (all, word: string, value: string) => {
    const isSecret = value.length >= 16 ? !plainWords.test(value) : isShortCredential(value)
    if (!isSecret) return all
    count("bearer")
    return `${word} ${REDACTED}`
  })
  return redactKnown(replaced, count)
}

const isShortCredential = (value: string): boolean =>
  value.length >= 6 && digitOrPadding.test(value) && !plainWords.test(value)

const redactKnown = (text: string, count: CountRedaction): string => {
  let result = ""
  let done = 0
  knownPrefix.lastIndex = 0
  for (let match = knownPrefix.exec(text); match !== null; match = knownPrefix.exec(text)) {
    const start = match.index + match[0].length
    const end = skip(text, start, tokenCharacter)
    if (end - start < minKnown) continue
    result += text.slice(done, match.index) + REDACTED
    done = end
    knownPrefix.lastIndex = end
    count("bearer")
  }
  return done === 0 ? text : result + text.slice(done)
}

const authority = charactersOf(/[^\s/"'<>?#\\]/)

/** Redacts user and password before the host of an address. */
export const redactCredentials = (text: string, count: CountRedaction): string => {
  let result = ""
  let done = 0
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    const start = at + 3
    const end = skip(text, start, authority)
    const given = text.slice(start, end)
    const last = given.lastIndexOf("@")
    if (last === -1 || given.lastIndexOf(":", last) === -1) continue
    result += text.slice(done, start) + REDACTED
    done = start + last
    count("credentials")
  }
  return done === 0 ? text : result + text.slice(done)
}

const localPart = charactersOf(/[\w.+%-]/)
const domainPart = charactersOf(/[A-Za-z0-9.-]/)
const letter = charactersOf(/[A-Za-z]/)
const maxLocalPart = 64
const maxDomain = 256
/** Endings of file names, such as `logo@2x.png` and `app@1.2.js`. */
const fileEnding = /\.(?:png|jpe?g|gif|webp|svg|avif|ico|css|m?js|jsx?|tsx?|json|map|html?|vue|wasm)$/i

/** Redacts e-mail addresses, except `kept` (in lower case). */
export const redactEmails = (text: string, kept: string | null, count: CountRedaction): string => {
  let result = ""
  let done = 0
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const start = skipBack(text, at, Math.max(done, at - maxLocalPart), localPart)
    if (start === at) continue
    const end = domainEnd(text, at)
    if (end === -1 || text.slice(start, end).toLowerCase() === kept) continue
    result += text.slice(done, start) + REDACTED
    done = end
    count("email")
  }
  return done === 0 ? text : result + text.slice(done)
}

/** Returns the end of the domain after an `@`, whose last label has 2 to 24 letters; -1 if there is none. */
const domainEnd = (text: string, at: number): number => {
  let end = at + 1
  while (end < at + maxDomain && isIn(domainPart, text, end)) end++
  while (end > at + 1 && !isIn(letter, text, end - 1)) end--
  const label = skipBack(text, end, at + 1, letter)
  const isTopDomain = end - label >= 2 && end - label <= 24 && text[label - 1] === "."
  return isTopDomain && !fileEnding.test(text.slice(at, end)) ? end : -1
}
