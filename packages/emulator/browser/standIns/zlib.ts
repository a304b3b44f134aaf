import { gunzipSync as gunzip, gzipSync as gzip } from "fflate"
import { Buffer } from "./buffer.ts"

/** The part of `node:zlib` that the emulator's code uses. The compressed bytes are not those of Node, the text is. */

export const gzipSync = (text: string): Buffer => new Buffer(gzip(Buffer.from(text), { mtime: 0 }))

/** The size that the last four bytes of a gzipped text name. */
const sizeOf = (bytes: Uint8Array): number =>
  bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).getUint32(0, true)

/** The text of compressed bytes. Throws, as Node does, if its size is not the one that they name. */
const unzip = (bytes: Uint8Array): Buffer => {
  const size = sizeOf(bytes)
  // fflate cuts a text that is longer than its buffer, without an error: one byte more shows it.
  const text = gunzip(bytes, { out: new Uint8Array(size + 1) })
  if (text.length !== size) throw new Error("incorrect length check")
  return new Buffer(text)
}

export const gunzipSync = (bytes: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }): Buffer => {
  if (sizeOf(bytes) > maxOutputLength) throw new RangeError(`Cannot create a text larger than ${maxOutputLength} bytes`)
  return unzip(bytes)
}

type Listener = (value: never) => void

/** Compresses what it was given when it ends. */
export const createGzip = () => {
  const blocks: Array<string> = []
  const listeners = new Map<string, Listener>()
  const zip = {
    on: (event: string, listener: Listener) => {
      listeners.set(event, listener)
      return zip
    },
    once: (event: string, listener: Listener) => zip.on(event, listener),
    write: (block: string, written: () => void) => {
      blocks.push(block)
      queueMicrotask(written)
    },
    end: () => {
      listeners.get("data")?.(gzipSync(blocks.join("")) as never)
      listeners.get("end")?.(undefined as never)
    }
  }
  return zip
}

/** Reads a text whole, and gives it as one chunk. */
export const createGunzip = () => {
  let text = ""
  const reader = {
    setEncoding: (_: "utf8") => reader,
    end: (bytes: Uint8Array) => {
      text = unzip(bytes).toString()
    },
    async *[Symbol.asyncIterator]() {
      if (text !== "") yield text
    }
  }
  return reader
}
