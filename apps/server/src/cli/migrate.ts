import type { PostgresVersion } from "@tapedeck/storage/postgres"
import { Cause, Effect, Exit, type Redacted } from "effect"
import { readConfig, type Written } from "../config/Config.ts"
import { dataDirectoryToRead, existingDataDirectory } from "../config/dataDirectory.ts"
import type { OperatorArguments } from "./commandLine.ts"
import { onlyInDirectory } from "./onlyInDirectory.ts"
import { exitCodes } from "./usage.ts"

/**
 * `tapedeck migrate`: migrates the database to this version, as a start does. The store refuses a newer one. `--check` changes
 * nothing, works while a server runs, and ends with `exitCodes.data` if the version differs.
 */
export const migrate = async (written: Written, args: OperatorArguments): Promise<number> => {
  const { optionValues } = args
  if (optionValues.has("from") || optionValues.has("to"))
    return (await import("./moveToPostgres.ts")).moveToPostgres(written, args)
  const config = readConfig(written)
  if (optionValues.has("check") && config.database_url !== undefined)
    return checkPostgres(config.database_url, optionValues)
  onlyInDirectory(config, "migrate", "the first server that starts on PostgreSQL upgrades its database")
  const { databaseVersion, migrateDatabase, newestVersion } = await import("@tapedeck/storage/sqlite")
  const isCheck = optionValues.has("check")
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
  process.stdout.write(
    optionValues.has("json") ? `${JSON.stringify({ from, to, newest: newestVersion })}\n` : `${text}\n`
  )
  return to === newestVersion ? exitCodes.stopped : exitCodes.data
}

/** Checks a database on PostgreSQL. Nodes may use it at the same time. */
const checkPostgres = async (
  url: Redacted.Redacted,
  optionValues: OperatorArguments["optionValues"]
): Promise<number> => {
  const { postgresVersion } = await import("@tapedeck/storage/postgres")
  const exit = await Effect.runPromiseExit(postgresVersion(url))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  const { version, newest, needsFullStop } = exit.value
  process.stdout.write(
    optionValues.has("json")
      ? `${JSON.stringify({ from: version, to: version, newest, needs_full_stop: needsFullStop })}\n`
      : `${postgresText(exit.value)}\n`
  )
  return version === newest ? exitCodes.stopped : exitCodes.data
}

export const postgresText = ({ name, needsFullStop, newest, version }: PostgresVersion): string => {
  const at = `${name}: version ${version}`
  if (version === newest) return `${at}, current`
  if (version > newest) {
    return needsFullStop
      ? `${at}, made by a newer Tapedeck; this one supports versions up to ${newest}`
      : `${at}, made by a newer Tapedeck, with which nodes of this one (version ${newest}) still work`
  }
  const upgrade = `the first node of this Tapedeck that starts upgrades it to ${newest}`
  return needsFullStop
    ? `${at}; ${upgrade}: stop all nodes of version ${version} first`
    : `${at}; ${upgrade}, and nodes of version ${version} can run meanwhile: replace one after the other`
}

const wordsFor = (version: number, newest: number): string => {
  if (version === newest) return ", current"
  return version > newest
    ? `, made by a newer Tapedeck; this one supports versions up to ${newest}`
    : `; tapedeck migrate upgrades it to ${newest}`
}
