import { createHash } from "node:crypto"
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { S3Options } from "@tapedeck/storage/files"
import { type ContentRow, copyDatabase, readSnapshot, type Snapshot, sha256Of } from "@tapedeck/storage/sqlite"
import { type DataDirectory, makeDirectories } from "../config/dataDirectory.ts"
import type { Key } from "../config/key/keyText.ts"
import { keyText } from "../config/key/keyText.ts"
import { copyContents } from "./copyContents.ts"
import {
  BackupRefused,
  checksumsName,
  contentName,
  databaseName,
  keyName,
  type Manifest,
  manifestName,
  readThrough,
  sync
} from "./layout.ts"

/** Maximum number of copies of the database, which are needed when files are removed during the backup. */
const mostTries = 10

export interface BackupOptions {
  readonly directory: DataDirectory
  readonly to: string
  /** Undefined if the backup does not contain the key. The caller checks it against the copied database. */
  readonly keyFor: ((database: string) => Key) | undefined
  /** Bucket of the files, if they are not in the data directory. They are not copied. */
  readonly bucket: Pick<S3Options, "bucket" | "prefix"> | undefined
  readonly tapedeck: string
  readonly now: Date
}

/**
 * Makes a backup while a server may run, under a temporary name until it is complete. Throws a `BackupRefused` or an error of
 * the file system; then nothing is left.
 */
export const makeBackup = async ({ directory, to, ...options }: BackupOptions): Promise<Manifest> => {
  const target = resolve(to)
  if (existsSync(target)) throw new BackupRefused(`${target}: already exists; a backup creates its own directory`)
  const unfinished = `${target}.unfinished-${process.pid}`
  try {
    rmSync(unfinished, { recursive: true, force: true })
    makeDirectories(unfinished)
    const manifest = await fill(unfinished, { directory, ...options })
    renameSync(unfinished, target)
    sync(dirname(target))
    return manifest
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

const fill = async (
  folder: string,
  { bucket, directory, keyFor, now, tapedeck }: Omit<BackupOptions, "to">
): Promise<Manifest> => {
  const database = join(folder, databaseName)
  const snapshot = bucket === undefined ? await copyWithContents(directory, folder) : copyAlone(directory, folder)
  const copied = bucket === undefined ? snapshot.contents : []
  if (keyFor !== undefined)
    writeFileSync(join(folder, keyName), keyText(keyFor(database)), { mode: 0o600, flush: true })
  const checksums = await writeChecksums(folder, copied, keyFor !== undefined)
  const manifest: Manifest = {
    format: 1,
    tapedeck,
    made_at: now.toISOString(),
    database: { version: snapshot.version, size_bytes: statSync(database).size, rows: snapshot.counts },
    files: {
      count: snapshot.contents.length,
      size_bytes: snapshot.contents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      ...(bucket !== undefined && { stay_in: `s3://${bucket.bucket}/${bucket.prefix}` })
    },
    with_key: keyFor !== undefined,
    checksums
  }
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  syncFolders(folder)
  return manifest
}

/** A copy of the database without its content. */
const copyAlone = (directory: DataDirectory, folder: string): Snapshot => {
  const database = join(folder, databaseName)
  rmSync(database, { force: true })
  // SQLite keeps the permissions of an existing empty file.
  writeFileSync(database, "", { mode: 0o600 })
  copyDatabase(directory.database, database)
  return readSnapshot(database)
}

/**
 * Copies the database and all content that it names. A server may remove content between the two: then the next copy of the
 * database does not name it (docs/adr/0016). Content that was copied is kept, so each further copy adds only changes.
 * A database that still names missing content is damaged.
 */
const copyWithContents = async (directory: DataDirectory, folder: string): Promise<Snapshot> => {
  const taken = new Map<string, ContentRow>()
  let missing: ReadonlyArray<ContentRow> = []
  for (let tries = 0; tries < mostTries; tries++) {
    const snapshot = copyAlone(directory, folder)
    const wanted = snapshot.contents.filter(({ key }) => !taken.has(key))
    missing = await copyContents(directory.path, folder, wanted)
    const lacking = new Set(missing)
    for (const content of wanted) if (!lacking.has(content)) taken.set(content.key, content)
    if (missing.length > 0) continue
    for (const { key } of snapshot.contents) taken.delete(key)
    for (const key of taken.keys()) rmSync(join(folder, contentName(key)))
    return snapshot
  }
  const [first] = missing
  throw new BackupRefused(
    `${join(directory.path, contentName(first?.key ?? ""))}: missing, but the database refers to it ` +
      `(and ${missing.length - 1} more): run tapedeck doctor`
  )
}

/** The name of content has its checksum, so it is not read again. */
const writeChecksums = async (
  folder: string,
  contents: ReadonlyArray<ContentRow>,
  withKey: boolean
): Promise<string> => {
  const own = [databaseName, ...(withKey ? [keyName] : [])]
  const lines = contents.map(({ key }) => `${sha256Of(key)}  ${contentName(key)}\n`)
  for (const name of own) lines.push(`${(await readThrough(join(folder, name))).sha256}  ${name}\n`)
  const text = lines.join("")
  writeFileSync(join(folder, checksumsName), text, { mode: 0o600, flush: true })
  return createHash("sha256").update(text).digest("hex")
}

const syncFolders = (folder: string): void => {
  sync(join(folder, databaseName))
  const files = join(folder, "files")
  if (existsSync(files)) {
    for (const name of readdirSync(files)) sync(join(files, name))
    sync(files)
  }
  sync(folder)
}
