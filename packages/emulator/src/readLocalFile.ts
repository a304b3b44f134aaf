import { readFileSync, realpathSync, statSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import type { ReadFile } from "./Emulator.ts"

/** As large as an upload may be. */
const MAX_FILE_BYTES = 1024 ** 3

/** Reads videos that a start document names by `path`, relative to the folder. Throws where the file cannot be read. */
export const readLocalFile =
  (folder: string, maxBytes = MAX_FILE_BYTES): ReadFile =>
  (path) =>
    inOwnWords(() => {
      const file = resolve(folder, path)
      const stats = statSync(file)
      if (!stats.isFile()) throw new Error("is no file")
      if (stats.size > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`)
      return readFileSync(file)
    })

/** As `readLocalFile`, for callers over the network: reads what is in the folder, links followed, and nothing else. */
export const readFileInside =
  (folder: string): ReadFile =>
  (path) => {
    const real = inOwnWords(() => {
      const root = realpathSync(folder)
      // First by its name, so that no answer says what there is elsewhere.
      return isInside(root, resolve(root, path)) ? { root, file: realpathSync(resolve(root, path)) } : null
    })
    if (real === null || !isInside(real.root, real.file)) throw new Error("is outside of the emulator's folder")
    return readLocalFile(real.root)(real.file)
  }

const isInside = (folder: string, file: string): boolean => {
  const [first] = relative(folder, file).split(sep)
  return first !== ".."
}

/** Without the path that Node's messages end with: where the folder is stays the operator's. */
const inOwnWords = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(code === undefined ? message : code === "ENOENT" ? "no such file" : code, { cause: error })
  }
}
