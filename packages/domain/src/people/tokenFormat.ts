/**
 * The text of an access token: `tdk_`, 40 random base-62 characters, and 6 characters of checksum, so that a secret scanner and the
 * service can recognize a token without a look-up.
 *
 * The checksum is the CRC-32 (ISO-HDLC, as in zip and PNG) of the 40 characters' ASCII bytes, written in base 62
 * (digits `0-9A-Za-z`), most significant digit first, padded with `0` to 6 characters.
 */
const PREFIX = "tdk_"
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * Number of random bytes that `formatToken` requires. One in 32 bytes is rejected. That 25 or more of 64 are rejected, so that too few
 * are left, happens once in about 10^20 tokens.
 */
export const TOKEN_RANDOM_BYTES = 64

/**
 * Returns a token for `TOKEN_RANDOM_BYTES` random bytes. Bytes of 248 or more are skipped, because 248 is the largest multiple of 62
 * below 256, so that all digits are equally likely. Throws a `RangeError` if too few bytes are left.
 */
export const formatToken = (randomBytes: Uint8Array): string => {
  const limit = 256 - (256 % DIGITS.length)
  let random = ""
  for (const byte of randomBytes) {
    if (byte >= limit) continue
    random += DIGITS[byte % DIGITS.length]
    if (random.length === RANDOM_LENGTH) return PREFIX + random + checksum(random)
  }
  throw new RangeError(`formatToken needs ${RANDOM_LENGTH} bytes below ${limit}, and got ${random.length}`)
}

/** Form of a token: `PREFIX`, `RANDOM_LENGTH` digits, and `CHECKSUM_LENGTH` digits. */
const tokenPattern = /^tdk_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/

/** Returns whether `text` has the form of `formatToken`, with a valid checksum. Tokens of fixtures may have another form. */
export const isWellFormedToken = (text: string): boolean => {
  const match = tokenPattern.exec(text)
  return match?.[1] !== undefined && checksum(match[1]) === match[2]
}

const checksum = (random: string): string => {
  let rest = crc32(random)
  let text = ""
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = DIGITS[rest % DIGITS.length] + text
    rest = Math.floor(rest / DIGITS.length)
  }
  return text
}

const crc32 = (ascii: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}
