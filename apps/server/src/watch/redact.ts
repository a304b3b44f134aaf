/** What must not be read in a log, wherever it came from, and what stands for it. None reaches past a JSON string's end. */
const rules: ReadonlyArray<readonly [RegExp, string]> = [
  [/tdk_[0-9A-Za-z]{8,}/g, "tdk_***"],
  [/whsec_[0-9A-Za-z+/=_-]+/g, "whsec_***"],
  [/(tapedeck_(?:session|oidc|browser)=)[\w%.-]+/g, "$1***"],
  [/\$scrypt\$[\w=,$+/]+/g, "$scrypt$***"],
  [/\b(bearer|basic) +[^\s"'\\]+/gi, "$1 ***"],
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^"]*?(?:-----END \1-----|(?="|$))/g, "***"],
  // To the last @: a password may hold one.
  [/:\/\/[^\s/"']+@/g, "://***@"],
  // Queries hold e-mail addresses and ticket ids, and of other sites whatever they like.
  [/\?[^\s"'()<>\\]*=[^\s"'()<>\\]*/g, "?***"]
]

/**
 * The text without tokens, webhook secrets, credentials, private keys and queries. Nothing that is logged should hold any:
 * this is for the day when an error's message does.
 */
export const redact = (text: string): string =>
  rules.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text)
