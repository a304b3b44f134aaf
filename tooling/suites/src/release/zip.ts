import { crc32 } from "node:zlib"

/** A file of an archive. */
export interface ZipFile {
  /** Path in the archive, of ASCII characters. */
  readonly path: string
  readonly bytes: Buffer
}

/** Date and time of a file, in seconds since 1970, as MS-DOS writes them: in steps of 2 s. */
const dosTime = (time: number): number => {
  const at = new Date(time * 1_000)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const seconds = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return date * 0x10000 + seconds
}

/** Version 2.0 of the format, as a reader needs it. */
const needed = 20
/** The same by a writer on Unix, which makes the mode of a file valid. */
const madeBy = 0x0300 | needed
/** A regular file that all can read and its owner can write. */
const mode = 0o100644

/**
 * A zip archive of files that are stored without compression, so that its bytes depend only on the files, their order and `time`, and
 * not on a version of zlib. It has no 64-bit extension: fewer than 65,536 files, and 4 GiB.
 */
export const zip = (files: ReadonlyArray<ZipFile>, time: number): Buffer => {
  const entries: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { bytes, path } of files) {
    const name = Buffer.from(path, "ascii")
    // The fields that are the same in the entry and in its line of the directory: flags, method 0, time, sum, two sizes, and lengths of
    // the name and of no more.
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(needed, 0)
    shared.writeUInt32LE(dosTime(time), 6)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(bytes.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const entry = [Buffer.from("PK\x03\x04"), shared, name, bytes]
    const start = Buffer.from("PK\x01\x02\0\0")
    start.writeUInt16LE(madeBy, 4)
    // No comment, disk 0, no internal attributes; the mode and where the entry is.
    const end = Buffer.alloc(14)
    end.writeUInt32LE(mode * 0x10000, 6)
    end.writeUInt32LE(offset, 10)
    entries.push(...entry)
    directory.push(start, shared, end, name)
    for (const part of entry) offset += part.length
  }
  const lines = Buffer.concat(directory)
  const last = Buffer.from("PK\x05\x06".padEnd(22, "\0"))
  last.writeUInt16LE(files.length, 8)
  last.writeUInt16LE(files.length, 10)
  last.writeUInt32LE(lines.length, 12)
  last.writeUInt32LE(offset, 16)
  return Buffer.concat([...entries, lines, last])
}
