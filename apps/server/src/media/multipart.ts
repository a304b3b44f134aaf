import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { Readable } from "node:stream"

export interface MultipartFile {
  readonly name: string
  readonly fileName: string
  readonly contentType: string
  readonly path: string
  readonly sizeBytes: number
}

export interface Multipart {
  readonly contentType: string
  readonly contentLength: number
  /** Can be read once. Streams the file. */
  readonly body: Readable
}

/** A form with one file (RFC 7578). The file is streamed, never in memory as a whole. */
export const multipartOf = (fields: ReadonlyArray<readonly [string, string]>, file: MultipartFile): Multipart => {
  const boundary = `tapedeck-${randomUUID()}`
  const head = [
    ...fields.map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    ),
    `--${boundary}\r\nContent-Disposition: form-data; name="${file.name}"; filename="${file.fileName}"\r\n`,
    `Content-Type: ${file.contentType}\r\n\r\n`
  ].join("")
  const tail = `\r\n--${boundary}--\r\n`
  const pieces = async function* () {
    yield Buffer.from(head)
    // The read ends at the announced length, even if the file grows.
    if (file.sizeBytes > 0) yield* createReadStream(file.path, { end: file.sizeBytes - 1 })
    yield Buffer.from(tail)
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: Buffer.byteLength(head) + file.sizeBytes + Buffer.byteLength(tail),
    body: Readable.from(pieces(), { objectMode: false })
  }
}
