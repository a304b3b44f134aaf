import { existsSync } from "node:fs"
import type { DataDirectory } from "../dataDirectory.ts"
import { writeFirstKeyFile } from "./keyFile.ts"
import { generateKey, type Key, KeyRefused, parseKey, readKeyFile } from "./keyText.ts"

type Environment = Readonly<Record<string, string | undefined>>

export interface FoundKey {
  readonly key: Key
  /** The environment, or the data directory. */
  readonly from: "environment" | "directory"
}

/** The key of `prefix` (`TAPEDECK_KEY`) or `prefix_FILE`; undefined if neither is set. Throws a `KeyRefused`. */
export const keyInEnvironment = (environment: Environment, prefix: string): FoundKey | undefined => {
  const text = environment[prefix] || undefined
  const file = environment[`${prefix}_FILE`] || undefined
  if (text !== undefined && file !== undefined) throw new KeyRefused(`${prefix} and ${prefix}_FILE: set one of them`)
  if (text !== undefined) return { key: parseKey(text, prefix), from: "environment" }
  if (file === undefined) return undefined
  return { key: readKeyFile(file, `${prefix}_FILE: ${file}`), from: "environment" }
}

/**
 * The key of a data directory (R19): from the environment, else from its file `key`, which is created in a new directory. If the
 * directory has a database and no key, throws: a new key could decrypt nothing in it. Throws a `KeyRefused`.
 */
export const findKey = (environment: Environment, { isNew, key: file, path }: DataDirectory): FoundKey => {
  const given = keyInEnvironment(environment, "TAPEDECK_KEY")
  if (given !== undefined) return given
  if (!existsSync(file)) {
    if (!isNew) {
      throw new KeyRefused(
        `${file}: no such file, and the database in ${path} was made with a key; ` +
          "put it back, or give it as TAPEDECK_KEY or TAPEDECK_KEY_FILE"
      )
    }
    const key = generateKey()
    // Another process may have been first: then its key counts.
    if (writeFirstKeyFile(file, key)) return { key, from: "directory" }
  }
  return { key: readKeyFile(file, file), from: "directory" }
}
