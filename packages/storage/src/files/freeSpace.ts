import { statfs } from "node:fs/promises"
import { dirname } from "node:path"

const MiB = 1024 ** 2

/** Number of bytes that may be written between two checks of the free space. */
export const freeSpaceCheckBytes = 16 * MiB

/**
 * Fails as a full disk does if less than 256 MiB, or a twentieth of a small disk, is free for the file at `path`. The rest is
 * reserved for the database, so that uploads cannot stop all other writes.
 */
export const checkFreeSpace = async (path: string): Promise<void> => {
  const { bavail, blocks, bsize } = await statfs(dirname(path))
  const reserveBytes = Math.min(256 * MiB, (blocks * bsize) / 20)
  if (bavail * bsize < reserveBytes) {
    throw Object.assign(new Error("the remaining space is reserved for the database"), { code: "ENOSPC" })
  }
}
