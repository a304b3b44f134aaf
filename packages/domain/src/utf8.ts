const encoder = new TextEncoder()

/** Returns the size of a text in UTF-8, in bytes. A lone surrogate counts as the replacement character, which is sent for it. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++
  }
  return bytes
}

/** Returns the longest start of a text, in whole characters, that has at most `maxBytes` bytes in UTF-8. */
export const cutToUtf8Length = (text: string, maxBytes: number): string => {
  // A UTF-16 code unit has at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  return read === text.length ? text : text.slice(0, read)
}
