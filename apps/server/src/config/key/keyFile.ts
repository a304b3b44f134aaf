import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { DataRefused, diskProblem } from "../dataDirectory.ts"
import { type Key, keyText } from "./keyText.ts"

/** Writes a key to a file that only its owner may read. After a crash the file is complete or missing. */
export const writeKeyFile = (file: string, key: Key): void => placed(file, key, renameSync)

/** Writes the file as `writeKeyFile` does, unless it exists; then returns false. */
export const writeFirstKeyFile = (file: string, key: Key): boolean => {
  try {
    placed(file, key, linkSync)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

const placed = (file: string, key: Key, place: (from: string, to: string) => void): void => {
  const written = `${file}.${process.pid}.tmp`
  try {
    // A file that a killed process of the same id left.
    rmSync(written, { force: true })
    const descriptor = openSync(written, "wx", 0o600)
    try {
      writeSync(descriptor, keyText(key))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    place(written, file)
    syncDirectory(dirname(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error
    throw new DataRefused(`${file}: ${diskProblem(error as NodeJS.ErrnoException)}`)
  } finally {
    rmSync(written, { force: true })
  }
}

/** Renames a key file durably. */
export const moveKeyFile = (from: string, to: string): void => {
  renameSync(from, to)
  syncDirectory(dirname(to))
}

export const removeKeyFile = (file: string): void => {
  rmSync(file, { force: true })
  syncDirectory(dirname(file))
}

/** A file name is durable once its directory is synced. */
const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
