import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { ReadFile } from "./Emulator.ts"

/** Reads videos that a start document names by `path`, relative to the folder. */
export const readLocalFile =
  (folder: string): ReadFile =>
  (path) =>
    readFileSync(resolve(folder, path))
