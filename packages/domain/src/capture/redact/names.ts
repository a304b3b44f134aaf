import { charactersOf, isIn } from "./characters.ts"

/** Words that make a name the name of a secret, at any position: `access_token`, `tokenType` and `x-token` contain `token`. */
const secretWords = new Set(
  (
    "token password passwords passwd pwd passphrase passcode secret secrets signature card cardnumber cvv cvc iban " +
    "jwt credential credentials authorization apikey accesskey privatekey authcode sessionid sessid otp totp csrf xsrf " +
    "bearer ssn cookie"
  ).split(" ")
)

/** Names of secrets that are matched as a whole only, because as words they are part of too many harmless names. */
const secretNames = new Set(
  "key code session sig auth pass pin sid jsessionid phpsessid connect.sid client_assertion saml_response samlresponse".split(
    " "
  )
)

/** Two words that follow each other. */
const secretPairs =
  "api key,access key,private key,encryption key,session id,auth code,authorization code,verification code,security code,account number,pass word"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string])

/** First words by second word. */
const firstWords = new Map<string, Array<string>>()
for (const [first, second] of secretPairs) firstWords.set(second, [...(firstWords.get(second) ?? []), first])

const minLength = Math.min(...[...secretWords, ...secretNames].map(({ length }) => length))
const maxLength = Math.max(...[...secretWords, ...secretNames].map(({ length }) => length))

const isSecretWord = (word: string): boolean =>
  word.length >= minLength && word.length <= maxLength && secretWords.has(word)

const upper = charactersOf(/[A-Z]/)
const lower = charactersOf(/[a-z]/)
const lowerOrDigit = charactersOf(/[a-z0-9]/)
const ascii = charactersOf(/[\0-\x7f]/)
const wordCharacter = charactersOf(/[A-Za-z0-9]/)
const letterOrNumber = /[\p{L}\p{N}]/u

/** Returns the number of code units of the letter or digit at a position; 0 for any other character. */
const wordUnits = (name: string, at: number): number => {
  if (isIn(ascii, name, at)) return isIn(wordCharacter, name, at) ? 1 : 0
  const character = String.fromCodePoint(name.codePointAt(at)!)
  return letterOrNumber.test(character) ? character.length : 0
}

/** Returns whether a word ends before a position because of a change of case: `access|Token`, `JSON|Token`. */
const isCaseEnd = (name: string, at: number): boolean =>
  isIn(upper, name, at) &&
  (isIn(lowerOrDigit, name, at - 1) || (isIn(upper, name, at - 1) && isIn(lower, name, at + 1)))

/** Returns whether a word of a name, or two consecutive words, make it the name of a secret: `access_token`, `accessToken`, `x-access-token`. */
const hasSecretWord = (name: string): boolean => {
  let previous = ""
  let start = 0
  for (let at = 0; at <= name.length; ) {
    const units = at < name.length ? wordUnits(name, at) : 0
    if (units > 0 && !(at > start && isCaseEnd(name, at))) {
      at += units
      continue
    }
    if (at > start) {
      const word = name.slice(start, at).toLowerCase()
      if (isSecretWord(word) || firstWords.get(word)?.includes(previous)) return true
      previous = word
    }
    start = units > 0 ? at : at + 1
    at += 1
  }
  return false
}

const brackets = /%5[bd]/gi

/** Returns the text in the last brackets, as in `user[code]`, else the whole name. */
const lastPart = (name: string): string => {
  const end = name.lastIndexOf("]")
  if (end !== name.length - 1 || end === -1) return name
  return name.slice(name.lastIndexOf("[") + 1, end)
}

/** Returns whether a query parameter, field or attribute with this name contains a secret. */
export const isSecretName = (encodedName: string): boolean => {
  if (encodedName.length < minLength) return false
  const name = encodedName.includes("%5")
    ? encodedName.replace(brackets, (text) => (text.endsWith("b") || text.endsWith("B") ? "[" : "]"))
    : encodedName
  return secretNames.has(lastPart(name).toLowerCase()) || hasSecretWord(name)
}

const secretHeaders = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key"])

/** Returns whether the value of a header with this name (in lower case) is a secret. `X-…-Token` is one, too. */
export const isSecretHeader = (name: string): boolean =>
  secretHeaders.has(name) || (name.startsWith("x-") && name.endsWith("-token")) || isSecretName(name)

/** Returns whether the value of a name continues to the end of the line: `Authorization: Bearer abc`, `Cookie: a=1; b=2`. */
export const hasLongValue = (name: string): boolean => {
  const lower = name.toLowerCase()
  return lower === "authorization" || lower === "proxy-authorization" || lower === "cookie" || lower === "set-cookie"
}
