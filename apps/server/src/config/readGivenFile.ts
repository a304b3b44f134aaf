import { closeSync, openSync, readSync } from "node:fs"

const mebibyte = 1024 ** 2

/** Maximum size of a file of settings, a secret, a key, certificates, audit heads or a backup's manifest. */
export const maxGivenBytes = mebibyte

/** Maximum size of a start document. */
export const maxDocumentBytes = 64 * mebibyte

/** A file that cannot be read. The message gives the reason without the path. */
export class FileUnreadable extends Error {
  override readonly name = "FileUnreadable"
  /** Node's code, such as `ENOENT`; undefined for a file that is too large. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Reads the text of a file that the operator names, a device or a pipe too. Throws a `FileUnreadable`. */
export const readGivenFile = (path: string, maxBytes = maxGivenBytes): string => {
  try {
    return readAtMost(path, maxBytes).toString("utf8")
  } catch (error) {
    if (error instanceof FileUnreadable) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new FileUnreadable(code === "ENOENT" ? "no such file" : message, code)
  }
}

const readAtMost = (path: string, maxBytes: number): Buffer => {
  const file = openSync(path, "r")
  try {
    const pieces: Array<Buffer> = []
    let size = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(65_536)
      const read = readSync(file, piece)
      if (read === 0) return Buffer.concat(pieces)
      size += read
      if (size > maxBytes) throw new FileUnreadable(`larger than ${maxBytes / mebibyte} MiB`)
      pieces.push(piece.subarray(0, read))
    }
  } finally {
    closeSync(file)
  }
}
