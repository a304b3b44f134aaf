import { createHash } from "node:crypto"
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"

/** A backup that cannot be made or used; the message names the file. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused"
}

/** `backup.json`: what a backup has to have. */
export interface Manifest {
  /** Of the backup's form. */
  readonly format: 1
  /** The Tapedeck that made it. */
  readonly tapedeck: string
  readonly made_at: string
  readonly database: {
    readonly version: number
    readonly size_bytes: number
    readonly rows: Readonly<Record<string, number>>
  }
  readonly files: {
    readonly count: number
    readonly size_bytes: number
    /** The bucket and prefix that they stay in, as `s3://bucket/prefix/`: the backup has none of them. */
    readonly stay_in?: string
  }
  readonly with_key: boolean
  /** SHA-256 of `SHA256SUMS`, which has that of everything else. */
  readonly checksums: string
}

export const manifestName = "backup.json"
/** As `sha256sum` writes and checks it. */
export const checksumsName = "SHA256SUMS"
export const databaseName = "tapedeck.db"
export const keyName = "key"

/** Where content is, below a data directory as below a backup. */
export const contentName = (sha256: string): string => join("files", sha256.slice(0, 2), sha256)

const pieceBytes = 1024 * 1024

/** Reads a file in pieces, and gives its SHA-256 and size; `onPiece` gets each piece, which is overwritten afterwards. */
export const readThrough = async (
  file: string,
  onPiece: (piece: Uint8Array) => Promise<unknown> = async () => {}
): Promise<{ readonly sha256: string; readonly sizeBytes: number }> => {
  const source = await open(file, "r")
  try {
    const hash = createHash("sha256")
    const buffer = Buffer.allocUnsafe(pieceBytes)
    let sizeBytes = 0
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, pieceBytes, sizeBytes)
      if (bytesRead === 0) return { sha256: hash.digest("hex"), sizeBytes }
      sizeBytes += bytesRead
      hash.update(buffer.subarray(0, bytesRead))
      await onPiece(buffer.subarray(0, bytesRead))
    }
  } finally {
    await source.close()
  }
}

/** Copies a file onto the disk for its owner alone, and gives what was copied. */
export const copyFile = async (from: string, to: string) => {
  const target = await open(to, "wx", 0o600)
  try {
    const read = await readThrough(from, (piece) => target.appendFile(piece))
    await target.sync()
    return read
  } finally {
    await target.close()
  }
}

/** A name, or a file that somebody else has written, lasts once this is done. */
export const sync = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
