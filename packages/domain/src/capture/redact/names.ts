/** Words that make a name one of a secret, wherever they stand in it: `access_token`, `tokenType` and `x-token` hold `token`. */
const secretWords = new Set(
  (
    "token password passwords passwd pwd passphrase passcode secret secrets signature card cardnumber cvv cvc iban " +
    "jwt credential credentials authorization apikey accesskey privatekey authcode sessionid sessid otp totp csrf xsrf " +
    "bearer ssn cookie"
  ).split(" ")
)

/** Names of secrets as a whole: as words they are in too many harmless names. */
const secretNames = new Set(
  "key code session sig auth pass pin sid jsessionid phpsessid connect.sid client_assertion saml_response samlresponse".split(
    " "
  )
)

/** Two words that follow each other. */
const secretPairs = new Set(
  "api key,access key,private key,encryption key,session id,auth code,authorization code,verification code,security code,account number,pass word".split(
    ","
  )
)

const wordStart = /([a-z0-9])([A-Z])/g
const acronymEnd = /([A-Z])([A-Z][a-z])/g
const separators = /[^\p{L}\p{N}]+/u
const brackets = /%5[bd]/gi

/** The words of a name, in lower case: of `access_token`, `accessToken` and `x-access-token`. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(acronymEnd, "$1 $2").replace(wordStart, "$1 $2").toLowerCase().split(separators)

/** What stands in the last brackets, as in `user[code]`, else the whole. */
const lastPart = (name: string): string => {
  const end = name.lastIndexOf("]")
  if (end !== name.length - 1 || end === -1) return name
  return name.slice(name.lastIndexOf("[") + 1, end)
}

/** Whether a query parameter, field or attribute of this name holds a secret. */
export const isSecretName = (given: string): boolean => {
  const name = given.includes("%")
    ? given.replace(brackets, (text) => (text.endsWith("b") || text.endsWith("B") ? "[" : "]"))
    : given
  if (secretNames.has(lastPart(name).toLowerCase())) return true
  const words = wordsOf(name)
  return words.some((word, at) => secretWords.has(word) || (at > 0 && secretPairs.has(`${words[at - 1]} ${word}`)))
}

const secretHeaders = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key"])

/** Whether the value of a header of this name (in lower case) is a secret: `X-…-Token` too. */
export const isSecretHeader = (name: string): boolean =>
  secretHeaders.has(name) || (name.startsWith("x-") && name.endsWith("-token")) || isSecretName(name)

/** Whether a value goes on to the end of the line: `Authorization: Bearer abc`, `Cookie: a=1; b=2`. */
export const hasLongValue = (name: string): boolean => {
  const lower = name.toLowerCase()
  return lower === "authorization" || lower === "proxy-authorization" || lower === "cookie" || lower === "set-cookie"
}
