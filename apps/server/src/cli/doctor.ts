import { readConfig, type Written } from "../config/Config.ts"
import { type DataDirectory, dataDirectoryToRead } from "../dataDirectory.ts"
import { type Finding, fault, findingsOf, ok } from "../doctor/Finding.ts"
import { bucketOf } from "../files.ts"
import type { Asked } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/** `tapedeck doctor`: looks through everything that is kept, and around it, and changes nothing. */
export const doctor = async (written: Written, { given }: Asked): Promise<number> => {
  const config = readConfig(written)
  const directory = dataDirectoryToRead(config.data)
  const bucket = bucketOf(config, directory.temporary)
  const deep = given.has("deep")
  const { inspectDatabase } = await import("@tapedeck/storage/sqlite")
  const { clock, keyFits, permissions, receivers, room } = await import("../doctor/surroundings.ts")
  const { contents } = await import("../doctor/contents.ts")
  const database = inspectDatabase(directory.database, { deep })
  const { deliveries, faults, newestVersion, version } = database
  const fine: Readonly<Record<string, string>> = { deliveries: `${deliveries}, each ended or with something due` }
  return report(given, [
    ...permissions(directory),
    ...keyFits(written.environment, directory, database),
    version === newestVersion
      ? ok("version", `${version}, this Tapedeck's`)
      : fault("version", otherVersion(version, newestVersion)),
    ...Object.entries(faults).flatMap(([check, texts]) => findingsOf(check, texts, fine[check] ?? "as it should be")),
    ...(version === newestVersion ? await contents({ directory, bucket, named: database.contents, deep }) : []),
    room(directory),
    clock(Date.now(), database),
    ...receivers(config)
  ])
}

/** `tapedeck doctor deliveries`: the invariants of deliveries alone. */
export const doctorDeliveries = async (written: Written, { given }: Asked): Promise<number> => {
  const directory: DataDirectory = dataDirectoryToRead(readConfig(written).data)
  const { inspectDeliveries } = await import("@tapedeck/storage/sqlite")
  const { count, faults } = inspectDeliveries(directory.database)
  return report(given, findingsOf("deliveries", faults, `${count}, each ended or with something due`))
}

const otherVersion = (version: number, newest: number) =>
  version > newest
    ? `${version}, which a newer Tapedeck made: this one goes up to ${newest}`
    : `${version}: the next start brings it to ${newest}; until then its tables are not looked into`

const report = (given: Asked["given"], findings: ReadonlyArray<Finding>): number => {
  const isFine = findings.every(({ level }) => level !== "fault")
  const width = Math.max(...findings.map(({ check }) => check.length))
  const text = findings
    .map(({ check, level, text }) => `${level.padEnd(5)}  ${check.padEnd(width)}  ${text}\n`)
    .join("")
  process.stdout.write(given.has("json") ? `${JSON.stringify({ ok: isFine, findings })}\n` : text)
  return isFine ? exitCodes.stopped : exitCodes.doctor
}
