export const maxKeyLength = 255

/** A key without quotes, which neither begins nor ends with one. */
const plainKey = /^[\x21\x23-\x7e]([\x21-\x7e]*[\x21\x23-\x7e])?$/
/** A string of RFC 9651, without spaces. */
const quotedKey = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/

/** The key that an `Idempotency-Key` header has; undefined for a malformed one. */
export const keyIn = (header: string): string | undefined => {
  const quoted = quotedKey.exec(header)?.[1]?.replace(/\\(["\\])/g, "$1")
  const key = quoted ?? (plainKey.test(header) ? header : undefined)
  return key !== undefined && key.length <= maxKeyLength ? key : undefined
}

/** Header of a response to a request whose key was used before. */
export const replayedHeader = "idempotency-replayed"
