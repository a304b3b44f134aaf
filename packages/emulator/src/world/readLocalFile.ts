import { readFileSync, realpathSync, statSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import type { ReadFile } from "../Emulator.ts"

/** Maximum size of a file, that of an upload. */
const MAX_FILE_BYTES = 1024 ** 3

/** Reads videos that a start document names by `path`, relative to the folder. Throws if the file cannot be read. */
export const readLocalFile =
  (folder: string, maxBytes = MAX_FILE_BYTES): ReadFile =>
  (path) =>
    inOwnWords(() => {
      const file = resolve(folder, path)
      const stats = statSync(file)
      if (!stats.isFile()) throw new Error("is not a file")
      if (stats.size > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`)
      return readFileSync(file)
    })

/** Reads as `readLocalFile` does, for callers over the network: only files in the folder, with links resolved. */
export const readFileInside =
  (folder: string): ReadFile =>
  (path) => {
    const real = inOwnWords(() => {
      const root = realpathSync(folder)
      // Checks the name first, so that no response reveals what exists elsewhere.
      return isInside(root, resolve(root, path)) ? { root, file: realpathSync(resolve(root, path)) } : null
    })
    if (real === null || !isInside(real.root, real.file)) throw new Error("is outside of the emulator's folder")
    return readLocalFile(real.root)(real.file)
  }

const isInside = (folder: string, file: string): boolean => {
  const [first] = relative(folder, file).split(sep)
  return first !== ".."
}

/** Removes the path from Node's message, so that the folder's location is not revealed. */
const inOwnWords = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(code === undefined ? message : code === "ENOENT" ? "no such file" : code, { cause: error })
  }
}
