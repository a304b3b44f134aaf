/** Maximum size of a stored response body as UTF-8. */
export const maxBodyBytes = 64 * 1024

/**
 * Returns the stored part of a response body as text, cut between two characters. `bytes` has at least the first `maxBodyBytes + 1` bytes
 * of a longer body. Bytes that are not UTF-8 become U+FFFD, which counts as three bytes.
 */
export const keptBody = (bytes: Buffer): { readonly body: string; readonly truncated: boolean } => {
  const text = bytes.toString("utf8")
  if (bytes.length <= maxBodyBytes && Buffer.byteLength(text) <= maxBodyBytes) return { body: text, truncated: false }
  const kept = Buffer.from(text)
  let end = Math.min(kept.length, maxBodyBytes)
  // `text` is valid, so a character begins at each byte that is not 10xxxxxx. What was cut at the end of `bytes` is beyond `end`.
  while (end > 0 && end < kept.length && (kept[end]! & 0xc0) === 0x80) end--
  return { body: kept.toString("utf8", 0, end), truncated: true }
}
