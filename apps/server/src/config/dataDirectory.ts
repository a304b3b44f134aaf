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
import { dirname, join, resolve } from "node:path"

/** A data directory cannot be used; the message names it and the cause. */
export class DataRefused extends Error {
  readonly _tag = "DataRefused"
  override readonly name = "DataRefused"
}

/** The paths of a data directory. One process at a time uses it. */
export interface DataDirectory {
  readonly path: string
  readonly database: string
  readonly files: string
  /** Incoming files, on the same file system as `files`. */
  readonly temporary: string
  readonly key: string
  /** The next key during a rotation: `key/rotate.ts`. */
  readonly nextKey: string
  /** Socket of operator commands, while a server runs. */
  readonly socket: string
  /** Exists while `tapedeck restore` is incomplete. */
  readonly restoring: string
  /** True if the directory contains no database yet. */
  readonly isNew: boolean
}

/** Opens the data directory at `path`: creates it if necessary, readable by this user only, and checks that it is writable. */
export const openDataDirectory = (path: string): DataDirectory => {
  const directory = locate(path)
  if (existsSync(directory.restoring)) {
    throw new DataRefused(`${directory.path}: a restore into it is incomplete: run it again`)
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
 * Creates a directory that only its owner may read. Changes the mode of an existing one only if it is empty, as a mounted volume
 * is: the owner decides about the mode of others.
 */
export const makeForOwner = (path: string): void => {
  makeDirectories(path)
  const isOurs = statSync(path).uid === process.geteuid?.()
  if (isOurs && readdirSync(path).every((name) => name === "lost+found")) chmodSync(path, 0o700)
}

/**
 * Creates a directory and those above it, readable by this user only. `recursive` of `mkdirSync` never ends where nothing can be
 * created, as below /proc.
 */
export const makeDirectories = (path: string): void => {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeDirectories(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(path)) throw error
  }
}

/** Opens the data directory of a server that has run. */
export const existingDataDirectory = (path: string): DataDirectory => {
  dataDirectoryToRead(path)
  return openDataDirectory(path)
}

/** The same for reading only: a server may use it at the same time. */
export const dataDirectoryToRead = (path: string): DataDirectory => {
  const directory = locate(path)
  if (directory.isNew) {
    throw new DataRefused(`${directory.path}: no database in this directory; set --data or TAPEDECK_DATA`)
  }
  return directory
}

/** The paths in a data directory. */
export const locate = (path: string): DataDirectory => {
  const absolute = resolve(path)
  const database = join(absolute, "tapedeck.db")
  return {
    path: absolute,
    database,
    files: join(absolute, "files"),
    temporary: join(absolute, "tmp"),
    key: join(absolute, "key"),
    nextKey: join(absolute, "key.next"),
    socket: join(absolute, "operator.sock"),
    restoring: join(absolute, ".restoring"),
    isNew: !existsSync(database)
  }
}

/** Permissions are not enough: the file system may be read-only or full. */
const tryToWrite = (file: string) => {
  const descriptor = openSync(file, "w", 0o600)
  try {
    writeSync(descriptor, "write test\n")
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
    rmSync(file, { force: true })
  }
}

/** The message for an error of the file system. */
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
    case "ENOENT":
      return "no directory can be created here"
    case "ENOTDIR":
    case "EEXIST":
      return "this is a file, not a directory"
    default:
      return `cannot be written: ${message}`
  }
}
