import { statfs } from "node:fs/promises"
import { dirname } from "node:path"

const MiB = 1024 ** 2

/** How many bytes may be written between two looks at the space that is left. */
export const roomCheckedEvery = 16 * MiB

/**
 * Fails as a full disk does where the file at `path` would take what the database needs: 256 MiB, or a twentieth of a small
 * disk. Who uploads can then not keep everybody else from writing anything at all.
 */
export const checkRoom = async (path: string): Promise<void> => {
  const { bavail, blocks, bsize } = await statfs(dirname(path))
  const reserveBytes = Math.min(256 * MiB, (blocks * bsize) / 20)
  if (bavail * bsize < reserveBytes) {
    throw Object.assign(new Error("what is left is kept for the database"), { code: "ENOSPC" })
  }
}
