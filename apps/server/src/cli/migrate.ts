import { Cause, Effect, Exit } from "effect"
import { readConfig, type Written } from "../config/Config.ts"
import { dataDirectoryToRead, existingDataDirectory } from "../dataDirectory.ts"
import type { OperatorArguments } from "./commandLine.ts"
import { onlyInDirectory } from "./onlyInDirectory.ts"
import { exitCodes } from "./usage.ts"

/**
 * `tapedeck migrate`: migrates the database to this version, as a start does. The store refuses a newer one. `--check` changes
 * nothing, works while a server runs, and ends with `exitCodes.data` if the version differs.
 */
export const migrate = async (written: Written, args: OperatorArguments): Promise<number> => {
  const { given } = args
  if (given.has("from") || given.has("to")) return (await import("./moveToPostgres.ts")).moveToPostgres(written, args)
  const config = readConfig(written)
  onlyInDirectory(config, "migrate", "PostgreSQL's is brought to this version by the first server that starts on it")
  const { databaseVersion, migrateDatabase, newestVersion } = await import("@tapedeck/storage/sqlite")
  const isCheck = given.has("check")
  const { database, path } = isCheck ? dataDirectoryToRead(config.data) : existingDataDirectory(config.data)
  const from = databaseVersion(database)
  if (!isCheck) {
    const exit = await Effect.runPromiseExit(migrateDatabase(database))
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  }
  const to = databaseVersion(database)
  const text =
    isCheck || from === to
      ? `${path}: version ${to}${wordsFor(to, newestVersion)}`
      : `${path}: from version ${from} to ${to}`
  process.stdout.write(given.has("json") ? `${JSON.stringify({ from, to, newest: newestVersion })}\n` : `${text}\n`)
  return to === newestVersion ? exitCodes.stopped : exitCodes.data
}

const wordsFor = (version: number, newest: number): string => {
  if (version === newest) return ", current"
  return version > newest
    ? `, made by a newer Tapedeck; this one supports versions up to ${newest}`
    : `; tapedeck migrate upgrades it to ${newest}`
}
