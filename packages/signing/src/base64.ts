const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const sextets = new Int8Array(128).fill(-1)
for (let index = 0; index < 64; index++) sextets[alphabet.charCodeAt(index)] = index

const sextet = (text: string, index: number) => sextets[text.charCodeAt(index)] ?? -1

/**
 * The bytes of base64 in the standard alphabet, padded or not; `undefined` for anything else. Stricter than `atob` and
 * `Buffer.from`, which pass over what they do not know, so that two texts could mean the same bytes.
 */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  const unpadded = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length
  const padded = unpadded !== text.length
  if (unpadded % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined
  const bytes = new Uint8Array((unpadded * 3) >> 2)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < unpadded; index++) {
    const value = sextet(text, index)
    if (value < 0) return undefined
    bits = (bits << 6) | value
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at++] = bits >> held
      bits &= (1 << held) - 1
    }
  }
  return bits === 0 ? bytes : undefined
}

/** Padded base64 in the standard alphabet. */
export const encodeBase64 = (bytes: Uint8Array): string => {
  let text = ""
  for (let index = 0; index < bytes.length; index += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(index, index + 3)
    const bits = (a << 16) | (b << 8) | c
    text += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63)
    text += index + 1 < bytes.length ? alphabet.charAt((bits >> 6) & 63) : "="
    text += index + 2 < bytes.length ? alphabet.charAt(bits & 63) : "="
  }
  return text
}
