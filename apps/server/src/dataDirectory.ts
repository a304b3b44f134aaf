import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { join, resolve } from "node:path"

/** A data directory that cannot be used; the message says which, and why. */
export class DataRefused extends Error {
  override readonly name = "DataRefused"
}

/** Where what a server keeps is: one process at a time has it. */
export interface DataDirectory {
  readonly path: string
  readonly database: string
  readonly files: string
  /** Files on their way in; on the same file system as `files`. */
  readonly temporary: string
  /** Uploads that can be resumed, as far as they are. */
  readonly uploads: string
  readonly key: string
  /** A key on its way to become the key: `key/rotate.ts`. */
  readonly nextKey: string
  /** Where a server that has the directory takes operators' commands. */
  readonly socket: string
  /** There while `tapedeck restore` has not ended: nothing is whole then. */
  readonly restoring: string
  /** Whether there is no database in it yet. */
  readonly isNew: boolean
}

/** The data directory at `path`, made if need be, for this user alone, and tried: something can be written to it. */
export const openDataDirectory = (path: string): DataDirectory => {
  const directory = locate(path)
  if (existsSync(directory.restoring)) {
    throw new DataRefused(`${directory.path}: a restore into it has not ended: do it again`)
  }
  try {
    makeForOwner(directory.path)
    tryToWrite(join(directory.path, `.writable-${process.pid}`))
  } catch (error) {
    throw new DataRefused(`${directory.path}: ${diskProblem(error as NodeJS.ErrnoException)}`)
  }
  return directory
}

/**
 * Makes a directory that its owner alone may look into. One that is there, and is empty, becomes such a one: a volume that was
 * mounted, or what `mkdir` made; what has something in it is somebody's to decide.
 */
export const makeForOwner = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const isOurs = statSync(path).uid === process.geteuid?.()
  if (isOurs && readdirSync(path).every((name) => name === "lost+found")) chmodSync(path, 0o700)
}

/** The data directory of a server that has run. */
export const existingDataDirectory = (path: string): DataDirectory => {
  dataDirectoryToRead(path)
  return openDataDirectory(path)
}

/** The same, of which nothing is to be changed: it may be a server's at the same time. */
export const dataDirectoryToRead = (path: string): DataDirectory => {
  const directory = locate(path)
  if (directory.isNew) {
    throw new DataRefused(`${directory.path}: there is no database here; --data or TAPEDECK_DATA says where it is`)
  }
  return directory
}

/** The names of what is in a data directory. */
export const locate = (path: string): DataDirectory => {
  const absolute = resolve(path)
  const database = join(absolute, "tapedeck.db")
  return {
    path: absolute,
    database,
    files: join(absolute, "files"),
    temporary: join(absolute, "tmp"),
    uploads: join(absolute, "tmp", "uploads"),
    key: join(absolute, "key"),
    nextKey: join(absolute, "key.next"),
    socket: join(absolute, "operator.sock"),
    restoring: join(absolute, ".restoring"),
    isNew: !existsSync(database)
  }
}

/** Permissions do not say everything: a read-only mount, a full disk. */
const tryToWrite = (file: string) => {
  const descriptor = openSync(file, "w", 0o600)
  try {
    writeSync(descriptor, "written to see whether it can be\n")
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
    rmSync(file, { force: true })
  }
}

/** What a file system refuses, in words. */
export const diskProblem = ({ code, message }: NodeJS.ErrnoException): string => {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "this user may not write here"
    case "EROFS":
      return "this file system is read-only"
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full"
    case "EFBIG":
      return "a file would be larger than this process may write"
    case "ENOTDIR":
    case "EEXIST":
      return "this is a file, not a directory"
    default:
      return `cannot be written: ${message}`
  }
}
