const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Without the static functions of `Uint8Array`, whose types differ from those of Node's `Buffer`. */
const Bytes = Uint8Array as unknown as new (
  source: number | ArrayLike<number> | ArrayBufferLike,
  offset?: number,
  length?: number
) => Uint8Array<ArrayBuffer>

/** The part of Node's `Buffer` that the emulator's code uses. */
export class Buffer extends Bytes {
  static from(source: string | ArrayLike<number> | ArrayBufferLike, encoding?: string | number, length?: number) {
    if (typeof source !== "string") return new Buffer(source, encoding as number | undefined, length)
    switch (encoding) {
      case undefined:
      case "utf8":
        return new Buffer(encoder.encode(source).buffer)
      case "base64":
      case "base64url":
        return new Buffer(binaryOf(source).split("").map(codeOf))
      case "hex":
        return new Buffer((source.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16)))
      case "latin1":
        return new Buffer(source.split("").map(codeOf))
      default:
        throw new Error(`encoding ${encoding} is not supported in a page`)
    }
  }

  static alloc(length: number) {
    return new Buffer(length)
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length
  }

  static concat(parts: ReadonlyArray<Uint8Array>): Buffer {
    const whole = new Buffer(parts.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const part of parts) {
      whole.set(part, end)
      end += part.length
    }
    return whole
  }

  static compare(a: Uint8Array, b: Uint8Array): number {
    const shared = Math.min(a.length, b.length)
    for (let index = 0; index < shared; index++) if (a[index] !== b[index]) return a[index]! < b[index]! ? -1 : 1
    return Math.sign(a.length - b.length)
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0
  }

  override toString(encoding = "utf8", start = 0, end = this.length): string {
    const bytes = this.subarray(start, end)
    switch (encoding) {
      case "utf8":
        return decoder.decode(bytes)
      case "hex":
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
      case "base64":
        return btoa(latin1(bytes))
      case "base64url":
        return btoa(latin1(bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
      case "latin1":
      case "binary":
        return latin1(bytes)
      default:
        throw new Error(`encoding ${encoding} is not supported in a page`)
    }
  }
}

const codeOf = (character: string): number => character.charCodeAt(0)

/** Characters that are joined at once: functions have a limit of arguments. */
const joined = 8_192

const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += joined) text += String.fromCharCode(...bytes.subarray(at, at + joined))
  return text
}

/** Reads base64 of either alphabet, with or without padding, and ignores other characters, as Node does. */
const binaryOf = (base64: string): string => {
  const [digits = ""] = base64.replaceAll("-", "+").replaceAll("_", "/").split("=")
  const clean = digits.replace(/[^A-Za-z0-9+/]/g, "")
  return atob(clean.length % 4 === 1 ? clean.slice(0, -1) : clean)
}
