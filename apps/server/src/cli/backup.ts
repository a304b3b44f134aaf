import { Vault } from "@tapedeck/core"
import packageJson from "../../package.json" with { type: "json" }
import { BackupRefused } from "../backup/layout.ts"
import { makeBackup } from "../backup/makeBackup.ts"
import { restoreBackup } from "../backup/restoreBackup.ts"
import { readConfig, type Written } from "../config/Config.ts"
import { dataDirectoryToRead, diskProblem, locate } from "../config/dataDirectory.ts"
import { findKey } from "../config/key/findKey.ts"
import type { OperatorArguments } from "./commandLine.ts"
import { onlyInDirectory } from "./onlyInDirectory.ts"
import { exitCodes } from "./usage.ts"

/** `tapedeck backup DIR`: copies all data, consistent at one moment, while a server may run. */
export const backup = async (written: Written, { optionValues, operand }: OperatorArguments): Promise<number> => {
  const config = readConfig(written)
  onlyInDirectory(config, "backup", "back up PostgreSQL with pg_dump (docs/cluster.md)")
  const directory = dataDirectoryToRead(config.data)
  const { keyFingerprint, keyFingerprintIn } = await import("@tapedeck/storage/sqlite")
  const keyFor = (database: string) => {
    const { key } = findKey(written.environment, directory)
    if (keyFingerprint(Vault.make(key)) !== keyFingerprintIn(database)) {
      throw new BackupRefused("--with-key: the key is not the one that the database was last used with")
    }
    return key
  }
  const withKey = optionValues.has("with-key")
  const bucket = config.files
  const options = {
    directory,
    bucket,
    to: operand,
    keyFor: withKey ? keyFor : undefined,
    tapedeck: packageJson.version
  }
  const manifest = await inWords(makeBackup({ ...options, now: new Date() }))
  const { database, files } = manifest
  const text = [
    `${operand}: ${database.rows.recordings} recordings, ${database.rows.deliveries} deliveries, ${files.count} files`,
    ...(files.stay_in === undefined
      ? []
      : [`Its files stay in ${files.stay_in}: do not delete any of them as long as you keep the backup.`]),
    withKey
      ? "The backup contains the key: protect it, because it decrypts every secret."
      : "The backup does not contain the key: store it separately.",
    ""
  ].join("\n")
  process.stdout.write(optionValues.has("json") ? `${JSON.stringify(manifest)}\n` : text)
  return exitCodes.stopped
}

/** `tapedeck restore DIR --data NEW`: makes a data directory from a backup. */
export const restore = async (written: Written, { optionValues, operand }: OperatorArguments): Promise<number> => {
  const directory = locate(readConfig(written).data)
  const manifest = await inWords(restoreBackup(operand, directory))
  const key = manifest.with_key
    ? ""
    : `The key is not in the backup: put it into ${directory.key} (mode 0600), or give it as TAPEDECK_KEY_FILE.\n`
  const stay = manifest.files.stay_in
  const files =
    stay === undefined
      ? ""
      : `Its files stay in ${stay}, which the original owns. Instead of it: stop it, remove ${stay}tapedeck.json, and start with \
TAPEDECK_FILES=${stay}. Beside it: copy all files to another bucket or prefix first, and start with that.\n`
  const text = `${directory.path}: restored to the state at ${manifest.made_at}\n${files}${key}`
  process.stdout.write(optionValues.has("json") ? `${JSON.stringify(manifest)}\n` : text)
  return exitCodes.stopped
}

/** Adds the path to errors of the file system. */
const inWords = <A>(work: Promise<A>): Promise<A> =>
  work.catch((error: NodeJS.ErrnoException & { readonly dest?: string }) => {
    if (error.syscall === undefined || error.code === undefined) throw error
    throw new BackupRefused(`${error.dest ?? error.path}: ${diskProblem(error)}`)
  })
