import { type Config, placesIn, readConfig, type Written } from "../config/Config.ts"
import { type DataDirectory, dataDirectoryToRead, locate } from "../config/dataDirectory.ts"
import { onPostgres, onSqlite } from "../doctor/DatabaseReader.ts"
import { type Finding, fault, findingsOf, ok } from "../doctor/Finding.ts"
import { bucketOf } from "../serve/files.ts"
import type { OperatorArguments } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/** `tapedeck doctor`: checks database, files, key, disk and clock. It changes nothing. */
export const doctor = async (written: Written, { optionValues }: OperatorArguments): Promise<number> => {
  const config = readConfig(written)
  const directory = directoryOf(config)
  const bucket = bucketOf(config, directory.temporary)
  const deep = optionValues.has("deep")
  const { clock, keyFits, permissions, receivers, diskSpace } = await import("../doctor/environment.ts")
  const { contents } = await import("../doctor/contents.ts")
  const database = await databaseOf(config, directory)
  const found = await database.inspect(deep)
  const { deliveries, faults, newestVersion, version } = found
  const fine: Readonly<Record<string, string>> = { deliveries: deliveriesFine(deliveries) }
  return report(optionValues, [
    ...permissions(directory),
    ...keyFits(written.environment, directory, found),
    version === newestVersion
      ? ok("version", `${version}, the current one`)
      : fault("version", otherVersion(version, newestVersion)),
    ...Object.entries(faults).flatMap(([check, texts]) => findingsOf(check, texts, fine[check] ?? "no faults")),
    ...(version === newestVersion ? await contents({ database, directory, bucket, named: found.contents, deep }) : []),
    ...diskSpace(directory),
    ...clock(Date.now(), found),
    ...receivers(config, placesIn(written)("allow_receivers"))
  ])
}

/** `tapedeck doctor deliveries`: checks the invariants of deliveries only. */
export const doctorDeliveries = async (written: Written, { optionValues }: OperatorArguments): Promise<number> => {
  const config = readConfig(written)
  const { count, faults } = await (await databaseOf(config, directoryOf(config))).inspectDeliveries()
  return report(optionValues, findingsOf("deliveries", faults, deliveriesFine(count)))
}

/** On PostgreSQL a data directory contains little, and may be on another machine. */
const directoryOf = ({ data, database_url }: Config): DataDirectory =>
  database_url === undefined ? dataDirectoryToRead(data) : { ...locate(data), isNew: false }

const databaseOf = ({ database_url }: Config, { database }: DataDirectory) =>
  database_url === undefined ? onSqlite(database) : onPostgres(database_url)

const deliveriesFine = (count: number) => `${count} checked`

const otherVersion = (version: number, newest: number) =>
  version > newest
    ? `${version}, made by a newer Tapedeck; this one supports versions up to ${newest}`
    : `${version}: the next start upgrades it to ${newest}; until then its tables are not checked`

const report = (optionValues: OperatorArguments["optionValues"], findings: ReadonlyArray<Finding>): number => {
  const isFine = findings.every(({ level }) => level !== "fault")
  const width = Math.max(...findings.map(({ check }) => check.length))
  const text = findings
    .map(({ check, level, text }) => `${level.padEnd(5)}  ${check.padEnd(width)}  ${text}\n`)
    .join("")
  process.stdout.write(optionValues.has("json") ? `${JSON.stringify({ ok: isFine, findings })}\n` : text)
  return isFine ? exitCodes.stopped : exitCodes.doctor
}
