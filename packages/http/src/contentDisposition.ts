const extensions: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "application/octet-stream": "bin"
}

/** What no file system takes in a name, and what would end a header. */
const unsafe = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}]/gu

/** The name of a recording's file: its title, else its UUID. */
export const fileName = (title: string | null, uuid: string, contentType: string): string => {
  const stem = [...(title ?? "").normalize("NFC").replace(unsafe, " ").replace(/\s+/g, " ").trim()]
    .slice(0, 100)
    .join("")
  return `${stem.replace(/^\.+/, "").trim() || uuid}.${extensions[contentType] ?? "bin"}`
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
