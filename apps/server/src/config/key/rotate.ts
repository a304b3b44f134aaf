import { existsSync } from "node:fs"
import { Ids, Vault } from "@tapedeck/core"
import { Cause, Effect, Exit, type Redacted } from "effect"
import { readConfig, type Written } from "../Config.ts"
import { existingDataDirectory } from "../dataDirectory.ts"
import { findKey, keyInEnvironment } from "./findKey.ts"
import { finishRotation } from "./finishRotation.ts"
import { moveKeyFile, writeKeyFile } from "./keyFile.ts"
import { generateKey, type Key, KeyRefused, readKeyFile } from "./keyText.ts"

/**
 * `tapedeck key rotate`: encrypts all secrets of the database with a new key. The new key is on the disk before the database
 * uses it, and the old one stays until it does: after a crash the key of the database is in one of two files, and
 * `finishRotation` finds it.
 */
export const rotateKey = async (written: Written): Promise<void> => {
  const { environment } = written
  const config = readConfig(written)
  if (config.database_url !== undefined) return rotateNodesKey(config.database_url, environment)
  const directory = existingDataDirectory(config.data)
  await finishRotation(directory)
  const present = findKey(environment, directory)
  const given = keyInEnvironment(environment, "TAPEDECK_NEW_KEY")
  if (present.from === "environment") {
    if (given === undefined) throw new KeyRefused("TAPEDECK_NEW_KEY or TAPEDECK_NEW_KEY_FILE: set one of them")
    await reseal(directory.database, present.key, given.key)
    return say(fromNowOn)
  }
  await refuseIfUsed(directory.database, present.key)
  if (given !== undefined || !existsSync(directory.nextKey)) {
    writeKeyFile(directory.nextKey, given?.key ?? generateKey())
  }
  await reseal(directory.database, present.key, readKeyFile(directory.nextKey, directory.nextKey))
  moveKeyFile(directory.nextKey, directory.key)
  say(`All secrets are encrypted with the new key in ${directory.key}: keep a copy of it`)
}

const fromNowOn = "All secrets are encrypted with the new key: set it as TAPEDECK_KEY or TAPEDECK_KEY_FILE from now on"

/** Rotates the key of a PostgreSQL database. All nodes get the key from their environment. */
const rotateNodesKey = async (url: Redacted.Redacted, environment: Written["environment"]): Promise<void> => {
  const [from, to] = (["TAPEDECK_KEY", "TAPEDECK_NEW_KEY"] as const).map((name) => {
    const given = keyInEnvironment(environment, name)
    if (given === undefined) throw new KeyRefused(`${name} or ${name}_FILE: set one of them`)
    return Vault.make(given.key)
  }) as [Vault["Service"], Vault["Service"]]
  const { rotatePostgresKey } = await import("@tapedeck/storage/postgres")
  const rotated = rotatePostgresKey({ url }, { from, to })
  const exit = await Effect.runPromiseExit(Effect.provide(rotated, Ids.layerRandom))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  say(fromNowOn)
}

/** A database that a server uses is refused before a key is written. */
const refuseIfUsed = async (file: string, key: Key): Promise<void> => {
  const { isKeyOf } = await import("@tapedeck/storage/sqlite")
  const exit = await Effect.runPromiseExit(isKeyOf(file, Vault.make(key)))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
}

const reseal = async (file: string, from: Key, to: Key): Promise<void> => {
  const storage = await import("@tapedeck/storage/sqlite")
  const rotated = storage.rotateKey(file, { from: Vault.make(from), to: Vault.make(to) })
  const exit = await Effect.runPromiseExit(Effect.provide(rotated, Ids.layerRandom))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
