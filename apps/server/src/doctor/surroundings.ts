import { existsSync, statfsSync } from "node:fs"
import { Vault } from "@tapedeck/core"
import { type Inspection, keyFingerprint } from "@tapedeck/storage/sqlite"
import type { Config } from "../config/Config.ts"
import type { DataDirectory } from "../dataDirectory.ts"
import { findKey } from "../key/findKey.ts"
import { isOpenToOthers, KeyRefused, permissionsOf } from "../key/keyText.ts"
import { type Finding, fault, findingsOf, note, ok } from "./Finding.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Whether others on the machine may look at what is kept. */
export const permissions = (directory: DataDirectory): ReadonlyArray<Finding> => {
  if (!existsSync(directory.path)) return []
  const open = [directory.path, directory.database, directory.files].filter(
    (path) => existsSync(path) && isOpenToOthers(path)
  )
  const texts = open.map((path) => `${path}: others may read it (${permissionsOf(path)}); chmod go= ${path}`)
  const left = [directory.restoring, directory.nextKey].filter((path) => existsSync(path))
  return [
    ...findingsOf("directory", texts, `${directory.path}: for its owner alone`),
    ...left.map((path) =>
      note("directory", `${path}: left by a command that was cut off; the next start, or the command, ends it`)
    )
  ]
}

/** Whether the key is there, is for its owner alone, and is the database's. */
export const keyFits = (
  environment: Environment,
  directory: DataDirectory,
  { keyFingerprint: wanted }: Inspection
): ReadonlyArray<Finding> => {
  try {
    const { from, key, warning } = findKey(environment, directory)
    const where = from === "environment" ? "the environment's key" : directory.key
    const fits = wanted === undefined || keyFingerprint(Vault.make(key)) === wanted
    return [
      fits
        ? ok("key", `${where}: the database's`)
        : fault("key", `${where}: the database was last used with another key`),
      ...(warning === undefined ? [] : [fault("key", warning)])
    ]
  } catch (error) {
    if (error instanceof KeyRefused) return [fault("key", error.message)]
    throw error
  }
}

const MiB = 1024 ** 2

/** As `checkRoom` of the files keeps it: below that uploads are refused. */
export const room = ({ path }: DataDirectory): ReadonlyArray<Finding> => {
  if (!existsSync(path)) return []
  const { bavail, blocks, bsize } = statfsSync(path)
  const [free, reserve] = [bavail * bsize, Math.min(256 * MiB, (blocks * bsize) / 20)]
  const text = `${Math.floor(free / MiB)} MiB are free`
  if (free < reserve) return [fault("space", `${text}: uploads are refused, and soon the database is full`)]
  return [free < 4 * reserve ? note("space", `${text}: soon uploads are refused`) : ok("space", text)]
}

/** Before this program was made no clock is right. */
const earliest = Date.UTC(2026, 0, 1)
const slackMs = 60_000

/** Deliveries are due by the database's clock: this machine's own on SQLite. */
export const clock = (
  machineNow: number,
  { latestInstant, now }: Inspection & { readonly now: number }
): ReadonlyArray<Finding> => {
  const text = new Date(now).toISOString()
  const apart = Math.round((machineNow - now) / 1_000)
  const differs =
    Math.abs(apart) > 1
      ? [note("clock", `this machine's is ${apart} s ahead of the database's, which everything goes by`)]
      : []
  if (now < earliest) return [fault("clock", `${text}: the clock is wrong`), ...differs]
  return latestInstant > now + slackMs
    ? [
        fault(
          "clock",
          `${text}: the database was written at ${new Date(latestInstant).toISOString()}, which is still to come`
        ),
        ...differs
      ]
    : [ok("clock", text), ...differs]
}

/** What webhooks may reach besides the public Internet. */
export const receivers = ({ allow_receivers }: Config): ReadonlyArray<Finding> => {
  const wide = allow_receivers.filter((network) => /\/0$/.test(network))
  const listed =
    allow_receivers.length === 0 ? "public addresses alone" : `and private ones in ${allow_receivers.join(", ")}`
  return findingsOf(
    "receivers",
    wide.map((one) => `TAPEDECK_ALLOW_RECEIVERS: ${one} lets webhooks reach every network`),
    listed
  )
}
