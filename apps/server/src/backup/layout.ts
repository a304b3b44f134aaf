import { createHash } from "node:crypto"
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"
import { basename, join } from "node:path"
import { isContentKey, sha256Of } from "@tapedeck/storage/sqlite"

/** A backup cannot be made or used; the message names the file. */
export class BackupRefused extends Error {
  readonly _tag = "BackupRefused"
  override readonly name = "BackupRefused"
}

/** `backup.json`: the manifest of a backup. */
export interface Manifest {
  /** Version of the format. */
  readonly format: 1
  /** Version of Tapedeck that made the backup. */
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
    /** Bucket and prefix of files that are not in the backup, as `s3://bucket/prefix/`. */
    readonly stay_in?: string
  }
  readonly with_key: boolean
  /** SHA-256 of `SHA256SUMS`, which contains those of all other files. */
  readonly checksums: string
}

export const manifestName = "backup.json"
/** Name of the file with the checksums, in the format of `sha256sum`. */
export const checksumsName = "SHA256SUMS"
export const databaseName = "tapedeck.db"
export const keyName = "key"

/** Path of content below a data directory or a backup. */
export const contentName = (key: string): string => join("files", key.slice(0, 2), key)

/** Returns whether a path is that of content with this SHA-256. */
export const isContentName = (name: string, sha256: string): boolean => {
  const key = basename(name)
  return isContentKey(key) && sha256Of(key) === sha256 && name === contentName(key)
}

const pieceBytes = 1024 * 1024

/** Reads a file in chunks and returns its SHA-256 and size. `onPiece` gets each chunk, whose buffer is reused. */
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

/** Copies a file to the disk, readable by its owner only, and returns its SHA-256 and size. */
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

/** Syncs a file or directory to the disk. */
export const sync = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
