/** Patterns of secrets in the log, and their replacements. No match extends beyond the end of a JSON string. */
const rules: ReadonlyArray<readonly [RegExp, string | ((found: string) => string)]> = [
  [/tdk_[0-9A-Za-z]{8,}/g, "tdk_***"],
  [/whsec_[0-9A-Za-z+/=_-]+/g, "whsec_***"],
  [/(tapedeck_(?:session|oidc|browser)=)[\w%.-]+/g, "$1***"],
  [/\$scrypt\$[\w=,$+/]+/g, "$scrypt$***"],
  [/\b(bearer|basic) +[^\s"'\\]+/gi, "$1 ***"],
  // Up to the last @, because a password may contain one.
  [/:\/\/[^\s/"']+@/g, "://***@"],
  // Queries contain e-mail addresses and ticket ids; those of other sites may contain anything.
  [/\?[^\s"'()<>\\]*/g, (query) => (query.includes("=") ? "?***" : query)]
]

/**
 * Removes tokens, webhook secrets, credentials, private keys and queries from a text. No log call passes any; this covers error
 * messages that contain some.
 */
export const redact = (text: string): string =>
  rules.reduce(
    (left, [pattern, replacement]) =>
      typeof replacement === "string" ? left.replace(pattern, replacement) : left.replace(pattern, replacement),
    withoutKeys(text)
  )

const keyBegin = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g

/** Private keys up to their end or, if it is missing, up to the end of the JSON string. */
const withoutKeys = (text: string): string => {
  let left = ""
  let at = 0
  for (const { 0: begin, index } of text.matchAll(keyBegin)) {
    if (index < at) continue
    const quote = text.indexOf('"', index)
    const key = text.slice(index, quote === -1 ? undefined : quote)
    const end = begin.replace("BEGIN", "END")
    const endAt = key.indexOf(end)
    left += `${text.slice(at, index)}***`
    at = index + (endAt === -1 ? key.length : endAt + end.length)
  }
  return left + text.slice(at)
}
