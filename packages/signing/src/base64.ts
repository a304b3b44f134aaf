const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const sextets = new Int8Array(128).fill(-1)
for (let index = 0; index < 64; index++) sextets[alphabet.charCodeAt(index)] = index

/**
 * Decodes base64 in the standard alphabet. Returns `undefined` for any other text, whereas `Buffer.from` ignores unknown characters.
 * `canonical` accepts only the spelling that an encoder writes (padded, spare bits 0); `tolerant` accepts the spellings that other
 * webhook libraries accept for a secret.
 */
export const decodeBase64 = (text: string, spelling: "canonical" | "tolerant"): Uint8Array<ArrayBuffer> | undefined => {
  const length = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length
  const padded = spelling === "canonical" || length !== text.length
  if (length % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined
  const bytes = new Uint8Array((length * 3) >> 2)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < length; index++) {
    const sextet = sextets[text.charCodeAt(index)] ?? -1
    if (sextet < 0) return undefined
    bits = (bits << 6) | sextet
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at++] = bits >> held
      bits &= (1 << held) - 1
    }
  }
  return spelling === "tolerant" || bits === 0 ? bytes : undefined
}

/** Encodes bytes as padded base64 in the standard alphabet. */
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
