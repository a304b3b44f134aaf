import { StorageFull } from "@tapedeck/core"
import { Effect } from "effect"

/** What a disk or a bucket refuses, but for want of space; the message says where and why. */
export class FileTrouble extends Error {
  override readonly name = "FileTrouble"
  readonly path: string
  constructor(path: string, why: string, cause?: Error) {
    super(`${path}: ${why}`, { cause })
    this.path = path
  }
}

const wordsFor = ({ code, message }: NodeJS.ErrnoException): string => {
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

/** A failure of the file system, as a defect that names the path. */
const troubleAt = (path: string, error: unknown): StorageFull | FileTrouble => {
  const cause = error as NodeJS.ErrnoException
  const isFull = cause.code === "ENOSPC" || cause.code === "EDQUOT"
  return isFull ? new StorageFull({ path }) : new FileTrouble(path, wordsFor(cause), cause)
}

/** Work on the file system that, once begun, is waited for: nothing is closed or removed under it. */
export const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A> =>
  Effect.tryPromise({ try: work, catch: (error) => troubleAt(path, error) }).pipe(Effect.orDie, Effect.uninterruptible)

/** The same for what is quick, and done in one go. */
export const onDiskSync = <A>(path: string, work: () => A): Effect.Effect<A> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return Effect.die(troubleAt(path, error))
    }
  })
