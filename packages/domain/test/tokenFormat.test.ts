import { crc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatToken, isWellFormedToken, TOKEN_RANDOM_BYTES } from "../src/internal/people.ts"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomBytes = fc.uint8Array({ minLength: TOKEN_RANDOM_BYTES, maxLength: TOKEN_RANDOM_BYTES, max: 247 })

const valueInBase62 = (text: string): number =>
  [...text].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0)

describe("an access token's text (R19)", () => {
  it("has the prefix tdk_, 40 base-62 characters and a checksum of 6", () => {
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        expect(formatToken(bytes)).toMatch(/^tdk_[0-9A-Za-z]{46}$/)
      })
    )
  })

  it("has the CRC-32 that zlib computes over its 40 characters", () => {
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        const token = formatToken(bytes)
        expect(valueInBase62(token.slice(44))).toBe(crc32(token.slice(4, 44)))
      })
    )
  })

  it("is well formed, and not if any one character is changed", () => {
    fc.assert(
      fc.property(randomBytes, fc.nat({ max: 49 }), fc.constantFrom(...DIGITS), (bytes, index, digit) => {
        const token = formatToken(bytes)
        expect(isWellFormedToken(token)).toBe(true)
        const changed = token.slice(0, index) + digit + token.slice(index + 1)
        expect(isWellFormedToken(changed)).toBe(changed === token)
      })
    )
  })

  it.each(["", "secret-token", "tdk_", `tdk_${"0".repeat(46)} `, "t".repeat(50)])(
    "is not well formed as %j",
    (text) => {
      expect(isWellFormedToken(text)).toBe(false)
    }
  )

  it("has equally likely characters, because some random bytes are skipped", () => {
    const bytes = new Uint8Array(TOKEN_RANDOM_BYTES).fill(61)
    bytes.set([248, 255, 0, 247], 0)
    expect(formatToken(bytes).slice(4, 44)).toBe(`0z${"z".repeat(38)}`)
    const everyByte = Array.from({ length: 248 }, (_, byte) =>
      formatToken(new Uint8Array(TOKEN_RANDOM_BYTES).fill(byte))
    )
    for (const digit of DIGITS) expect(everyByte.filter((token) => token[4] === digit)).toHaveLength(4)
  })

  it("is refused, not shortened, if too few random bytes are given", () => {
    expect(() => formatToken(new Uint8Array(39))).toThrow(RangeError)
    expect(() => formatToken(new Uint8Array(TOKEN_RANDOM_BYTES).fill(255))).toThrow(RangeError)
  })
})
