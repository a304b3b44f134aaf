import { existsSync, statfsSync } from "node:fs"
import { Vault } from "@tapedeck/core"
import { type Inspection, keyFingerprint } from "@tapedeck/storage/sqlite"
import type { Config } from "../config/Config.ts"
import type { DataDirectory } from "../config/dataDirectory.ts"
import { findKey } from "../config/key/findKey.ts"
import { isOpenToOthers, KeyRefused, permissionsOf } from "../config/key/keyText.ts"
import { type Finding, fault, findingsOf, note, ok } from "./Finding.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Reports data that other users of the machine can read. */
export const permissions = (directory: DataDirectory): ReadonlyArray<Finding> => {
  if (!existsSync(directory.path)) return []
  const open = [directory.path, directory.database, directory.files].filter(
    (path) => existsSync(path) && isOpenToOthers(path)
  )
  const texts = open.map((path) => `${path}: other users may read it (${permissionsOf(path)}); chmod go= ${path}`)
  const left = [directory.restoring, directory.nextKey].filter((path) => existsSync(path))
  return [
    ...findingsOf("directory", texts, `${directory.path}: only its owner may read it`),
    ...left.map((path) =>
      note(
        "directory",
        `${path}: left by an interrupted command; the next start, or running the command again, completes it`
      )
    )
  ]
}

/** Checks that the key exists, that only its owner may read it, and that the database was last used with it. */
export const keyFits = (
  environment: Environment,
  directory: DataDirectory,
  { keyFingerprint: wanted }: Inspection
): ReadonlyArray<Finding> => {
  try {
    const { from, key } = findKey(environment, directory)
    const where = from === "environment" ? "the key of the environment" : directory.key
    const fits = wanted === undefined || keyFingerprint(Vault.make(key)) === wanted
    return [
      fits
        ? ok("key", `${where}: matches the database`)
        : fault("key", `${where}: the database was last used with another key`)
    ]
  } catch (error) {
    if (error instanceof KeyRefused) return [fault("key", error.message)]
    throw error
  }
}

const MiB = 1024 ** 2

/** Free disk space. Below the reserve (`checkFreeSpace` of the files) uploads are refused. */
export const diskSpace = ({ path }: DataDirectory): ReadonlyArray<Finding> => {
  if (!existsSync(path)) return []
  const { bavail, blocks, bsize } = statfsSync(path)
  const [free, reserve] = [bavail * bsize, Math.min(256 * MiB, (blocks * bsize) / 20)]
  const text = `${Math.floor(free / MiB)} MiB are free`
  if (free < reserve) return [fault("space", `${text}: uploads are refused, and writes to the database will fail soon`)]
  return [free < 4 * reserve ? note("space", `${text}: uploads will be refused soon`) : ok("space", text)]
}

/** A clock before the release of this program is wrong. */
const earliest = Date.UTC(2026, 0, 1)
const slackMs = 60_000

/** Deliveries are due by the database's clock; on SQLite it is this machine's. */
export const clock = (
  machineNow: number,
  { latestInstant, now }: Inspection & { readonly now: number }
): ReadonlyArray<Finding> => {
  const text = new Date(now).toISOString()
  const secondsApart = Math.round((machineNow - now) / 1_000)
  const differs =
    Math.abs(secondsApart) > 1
      ? [
          note(
            "clock",
            `this machine's clock is ${secondsApart} s ahead of the database's, which decides when deliveries are due`
          )
        ]
      : []
  if (now < earliest) return [fault("clock", `${text}: the clock is wrong`), ...differs]
  return latestInstant > now + slackMs
    ? [
        fault(
          "clock",
          `${text}: the database was written at ${new Date(latestInstant).toISOString()}, which is in the future`
        ),
        ...differs
      ]
    : [ok("clock", text), ...differs]
}

/** The networks that webhooks may reach besides the public Internet. */
export const receivers = ({ allow_receivers }: Config, place: string): ReadonlyArray<Finding> => {
  const wide = allow_receivers.filter((network) => /\/0$/.test(network))
  const listed =
    allow_receivers.length === 0
      ? "public addresses only"
      : `public addresses, and private ones in ${allow_receivers.join(", ")}`
  return findingsOf(
    "receivers",
    wide.map((one) => `${place}: ${one} lets webhooks reach every network`),
    listed
  )
}
