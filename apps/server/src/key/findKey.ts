import { existsSync } from "node:fs"
import type { DataDirectory } from "../dataDirectory.ts"
import { writeFirstKeyFile } from "./keyFile.ts"
import { generateKey, isOpenToOthers, type Key, KeyRefused, parseKey, permissionsOf, readKeyFile } from "./keyText.ts"

type Environment = Readonly<Record<string, string | undefined>>

export interface FoundKey {
  readonly key: Key
  /** Whose the key is: the operator's, by the environment, or the data directory's. */
  readonly from: "environment" | "directory"
  /** What the operator should know, in a line. */
  readonly warning?: string
}

/** The key that `prefix` (`TAPEDECK_KEY`) or `prefix_FILE` gives; undefined where neither is set. Throws a `KeyRefused`. */
export const keyInEnvironment = (environment: Environment, prefix: string): FoundKey | undefined => {
  const text = environment[prefix] || undefined
  const file = environment[`${prefix}_FILE`] || undefined
  if (text !== undefined && file !== undefined) throw new KeyRefused(`${prefix} and ${prefix}_FILE: set one of them`)
  if (text !== undefined) return { key: parseKey(text, prefix), from: "environment" }
  if (file === undefined) return undefined
  const key = readKeyFile(file, `${prefix}_FILE: ${file}`)
  // Orchestrators mount secrets as they like; who else is on the machine the operator knows.
  return isOpenToOthers(file)
    ? { key, from: "environment", warning: `${prefix}_FILE: others may read ${file} (${permissionsOf(file)})` }
    : { key, from: "environment" }
}

/**
 * The key of a data directory (R19): from the environment, else its file `key`, which is made where the directory is new.
 * A database without its key is no new directory: another key would open nothing in it. Throws a `KeyRefused`.
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
    // Another process may have been first: its key is the key.
    if (writeFirstKeyFile(file, key)) return { key, from: "directory" }
  }
  return { key: keyOfDirectory(file), from: "directory" }
}

/** The key in a file of the data directory, which is for its owner alone. */
export const keyOfDirectory = (file: string): Key => {
  const key = readKeyFile(file, file)
  if (isOpenToOthers(file)) {
    throw new KeyRefused(`${file}: others than its owner may read it (${permissionsOf(file)}); chmod 600 ${file}`)
  }
  return key
}
