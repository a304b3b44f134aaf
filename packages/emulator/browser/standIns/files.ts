/** The part of `node:fs` and `node:path` that the emulator's code names: a page has no files. */

const noFiles = (): never => {
  throw new Error("cannot be read: a page has no files")
}

export const readFileSync = noFiles
export const realpathSync = noFiles
export const statSync = noFiles

export const sep = "/"
export const relative = noFiles
export const resolve = (_: string, path: string): string => path
