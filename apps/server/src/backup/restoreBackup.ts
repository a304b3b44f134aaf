import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { disownCopy, newestVersion, readSnapshot } from "@tapedeck/storage/sqlite"
import { type DataDirectory, DataRefused, makeForOwner } from "../config/dataDirectory.ts"
import { type FileUnreadable, readGivenFile } from "../config/readGivenFile.ts"
import {
  BackupRefused,
  checksumsName,
  contentName,
  copyFile,
  databaseName,
  isContentName,
  keyName,
  type Manifest,
  manifestName,
  sync
} from "./layout.ts"

/** Items that a restore writes into a data directory. The database comes last, because it makes the directory a data directory. */
const restored = ["files", keyName, databaseName]

/**
 * Makes a data directory from a backup and verifies every checksum. The directory must be new, empty, or the target of an
 * interrupted restore; until the restore is complete, no server starts on it. Throws a `BackupRefused` or a `DataRefused`.
 */
export const restoreBackup = async (from: string, to: DataDirectory): Promise<Manifest> => {
  const folder = resolve(from)
  const manifest = readManifest(folder)
  const checksums = readChecksums(folder, manifest)
  makeReady(to)
  const isNew = !existsSync(to.path)
  makeForOwner(to.path)
  mkdirSync(to.restoring, { mode: 0o700 })
  try {
    await copyAll(folder, to.restoring, checksums)
    compare(manifest, to.restoring)
    disownCopy(join(to.restoring, databaseName))
  } catch (error) {
    rmSync(isNew ? to.path : to.restoring, { recursive: true, force: true })
    throw error
  }
  for (const name of restored) {
    if (existsSync(join(to.restoring, name))) renameSync(join(to.restoring, name), join(to.path, name))
  }
  sync(to.path)
  rmSync(to.restoring, { recursive: true })
  sync(to.path)
  return manifest
}

const readManifest = (folder: string): Manifest => {
  const file = join(folder, manifestName)
  let manifest: Partial<Manifest> | null
  try {
    manifest = JSON.parse(readGivenFile(file)) as Partial<Manifest> | null
  } catch (error) {
    const { code, message } = error as FileUnreadable
    throw new BackupRefused(`${file}: ${code === "ENOENT" ? "no such file, so this is not a backup" : message}`)
  }
  if (manifest?.format !== 1) throw new BackupRefused(`${file}: unknown format of backup`)
  const version = manifest.database?.version ?? 0
  if (version > newestVersion) {
    throw new BackupRefused(
      `${file}: its database has version ${version}, made by a newer Tapedeck: restore it with that one`
    )
  }
  return manifest as Manifest
}

/** SHA-256 by file name, of everything in a backup. */
const readChecksums = (folder: string, manifest: Manifest): ReadonlyMap<string, string> => {
  const file = join(folder, checksumsName)
  if (!existsSync(file)) throw new BackupRefused(`${file}: no such file`)
  const text = readFileSync(file, "utf8")
  if (createHash("sha256").update(text).digest("hex") !== manifest.checksums) {
    throw new BackupRefused(`${file}: its checksum does not match`)
  }
  const checksums = new Map<string, string>()
  for (const line of text.split("\n").slice(0, -1)) {
    const [, sha256 = "", name = ""] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    if (name !== databaseName && name !== keyName && !isContentName(name, sha256)) {
      throw new BackupRefused(`${file}: ${name}: not part of a backup`)
    }
    checksums.set(name, sha256)
  }
  return checksums
}

/** Refuses a target that contains anything but the files of an interrupted restore. */
const makeReady = ({ path, restoring }: DataDirectory): void => {
  if (!existsSync(path)) return
  if (existsSync(restoring)) {
    for (const name of restored) rmSync(join(path, name), { recursive: true, force: true })
    rmSync(restoring, { recursive: true })
  }
  const [found] = readdirSync(path).filter((name) => name !== "lost+found")
  if (found !== undefined) throw new DataRefused(`${path}: not empty (${found}): restore into a new or empty directory`)
}

const copyAll = async (from: string, to: string, checksums: ReadonlyMap<string, string>): Promise<void> => {
  const folders = new Set<string>()
  for (const [name, sha256] of checksums) {
    const [source, target] = [join(from, name), join(to, name)]
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    folders.add(dirname(target))
    const found = await copyFile(source, target).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new BackupRefused(`${source}: no such file`) : error
    })
    if (found.sha256 !== sha256) throw new BackupRefused(`${source}: its checksum does not match`)
  }
  for (const folder of folders) sync(folder)
  if (existsSync(join(to, "files"))) sync(join(to, "files"))
}

/** Compares the rows of the database with the manifest: detects a backup that was assembled from two. */
const compare = (manifest: Manifest, folder: string): void => {
  const { contents, counts } = readSnapshot(join(folder, databaseName))
  const other = Object.keys(manifest.database.rows).find((table) => counts[table] !== manifest.database.rows[table])
  if (other !== undefined) throw new BackupRefused(`${manifestName}: ${other}: its count differs from the database's`)
  if (manifest.files.stay_in !== undefined) return
  const lacking = contents.find(({ key }) => !existsSync(join(folder, contentName(key))))
  if (lacking !== undefined)
    throw new BackupRefused(`${contentName(lacking.key)}: missing in the backup, but the database refers to it`)
}
