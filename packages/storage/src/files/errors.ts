import { StorageFull } from "@tapedeck/core"
import { Effect } from "effect"

/** An error of a disk or a bucket, other than a lack of space. The message names the path and the reason. */
export class FileError extends Error {
  readonly _tag = "FileError"
  override readonly name = "FileError"
  readonly path: string
  constructor(path: string, why: string, cause?: Error) {
    super(`${path}: ${why}`, { cause })
    this.path = path
  }
}

/** The setting that is wrong if files cannot be used. */
export type FilesSetting = "bucket" | "credentials" | "directory" | "endpoint" | "region"

/** The directory or the bucket cannot be used with these settings: found at start. The message contains no secret. */
export class FilesRefused extends Error {
  readonly _tag = "FilesRefused"
  override readonly name = "FilesRefused"
  readonly setting: FilesSetting
  constructor(setting: FilesSetting, path: string, why: string) {
    super(`${path}: ${why}`)
    this.setting = setting
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "this user may not read or write it"
    case "EROFS":
      return "the file system is read-only"
    case "ENOENT":
      return "it is not there"
    case "EMFILE":
    case "ENFILE":
      return "too many files are open"
    default:
      return message
  }
}

/** An error of the file system as a defect that names the path. */
const fileErrorAt = (path: string, error: unknown): StorageFull | FileError => {
  const cause = error as NodeJS.ErrnoException
  const isFull = cause.code === "ENOSPC" || cause.code === "EDQUOT"
  return isFull ? new StorageFull({ path }) : new FileError(path, reasonOf(cause), cause)
}

/** Runs an operation of the file system. It cannot be interrupted, so that no file is closed or removed during it. */
export const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A> =>
  Effect.tryPromise({ try: work, catch: (error) => fileErrorAt(path, error) }).pipe(
    Effect.orDie,
    Effect.uninterruptible
  )

/** The same for a short synchronous operation. */
export const onDiskSync = <A>(path: string, work: () => A): Effect.Effect<A> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return Effect.die(fileErrorAt(path, error))
    }
  })
