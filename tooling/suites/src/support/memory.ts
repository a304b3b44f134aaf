import { existsSync, statfsSync } from "node:fs"

/** Linux's file system in memory, and the space that it needs to have for the files of a run. */
const memory = "/dev/shm"
const minFreeBytes = 4 * 1024 ** 3

/** Folder for files of vitest that need no disk; undefined for other commands, and if memory has no space for them. */
export const memoryFolder = (): string | undefined => {
  if (process.env.VITEST === undefined || !existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= minFreeBytes ? memory : undefined
}
