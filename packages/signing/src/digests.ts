import { decodeBase64 } from "./base64.ts"

/** Size of an HMAC-SHA256, in bytes. */
const digestBytes = 32

const nibbles = new Int8Array(128).fill(-1)
for (let value = 0; value < 16; value++) nibbles[value.toString(16).charCodeAt(0)] = value

/** Decodes a digest of 64 lower-case hex digits. Upper case is refused, so that a digest has one spelling. */
export const hexDigest = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (text.length !== digestBytes * 2) return undefined
  const digest = new Uint8Array(digestBytes)
  let wrong = 0
  for (let index = 0; index < digestBytes; index++) {
    const high = nibbles[text.charCodeAt(index * 2)] ?? -1
    const low = nibbles[text.charCodeAt(index * 2 + 1)] ?? -1
    wrong |= high | low
    digest[index] = (high << 4) | low
  }
  return wrong < 0 ? undefined : digest
}

/** Decodes a digest of 44 characters of padded base64, in canonical spelling only. */
export const base64Digest = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (text.length !== 44) return undefined
  const digest = decodeBase64(text, "canonical")
  // 44 characters can stand for 31 and for 33 bytes too.
  return digest?.length === digestBytes ? digest : undefined
}

/** Encodes bytes as lower-case hex. */
export const encodeHex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += (byte >> 4).toString(16) + (byte & 15).toString(16)
  return text
}
