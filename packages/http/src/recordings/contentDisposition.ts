const extensions: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "application/octet-stream": "bin"
}

/** Characters that file systems do not accept in names, or that would end a header. Joiners are kept, because words and emoji need them. */
const unsafe = /[\\/:*?"<>|\p{Cc}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu

/** Maximum length of a name in UTF-8: file systems take no longer one. */
const maxNameBytes = 255

/** Created by the first download: it takes 4 ms. */
let graphemes: Intl.Segmenter | undefined

/** Returns the longest beginning of the text that has at most `maxBytes` and at most 100 graphemes, whole ones only. */
const shortened = (text: string, maxBytes: number): string => {
  let kept = ""
  let left = maxBytes
  let count = 0
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  // A title has at most a few hundred characters, but a grapheme may have any number.
  for (const { segment } of graphemes.segment(text)) {
    left -= Buffer.byteLength(segment)
    if (left < 0 || ++count > 100) break
    kept += segment
  }
  return kept.trim()
}

/** The text without the extensions, dots and spaces at its end. */
const withoutExtension = (text: string, extension: string): string => {
  let end = text.length
  while (text[end - 1] === "." || text[end - 1] === " ") end--
  const bare = text.slice(0, end)
  return bare.toLowerCase().endsWith(extension) ? withoutExtension(bare.slice(0, -extension.length), extension) : bare
}

/** The name of a recording's file: its title, else its UUID, with the extension of its type, once. */
export const fileName = (title: string | null, uuid: string, contentType: string): string => {
  const extension = `.${extensions[contentType] ?? "bin"}`
  const safe = (title ?? "").normalize("NFC").replace(unsafe, " ").replace(/\s+/g, " ")
  const bare = withoutExtension(safe, extension).replace(/^[. ]+/, "")
  const short = shortened(bare, maxNameBytes - extension.length)
  // The title may have been cut after an extension.
  return `${withoutExtension(short, extension) || uuid}${extension}`
}

/** `attachment` with an ASCII name for old readers and the whole one in UTF-8 (RFC 6266; R12). */
export const attachment = (name: string): string => {
  const ascii = name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .replace(/["\\%]/g, "")
    .replace(/\s+/g, " ")
    .trim()
  const plain = /^\.[a-z0-9]+$/.test(ascii) || ascii === "" ? `recording${ascii}` : ascii
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`
}

/** RFC 8187: `encodeURIComponent` leaves a few characters that an extended value may not have. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
