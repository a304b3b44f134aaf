import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { type DatabaseRefused, DirectoryInUse, lockDirectory } from "@tapedeck/storage/sqlite"
import { Effect, Exit, type Scope } from "effect"
import type { DataDirectory } from "../config/dataDirectory.ts"

/** The folders of processes have UUIDs as names. */
const isNodeId = (name: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)

const maxTries = 10

/**
 * The data directory with temporary files in a folder of this process, `tmp/<node id>/`: several processes share the directory
 * with PostgreSQL. The process holds the folder's lock until the scope closes, however it ends; a folder whose lock is free
 * belongs to a process that has ended. This process removes those at its start, and each hour.
 */
export const withNodeFolder = Effect.fnUntraced(function* (
  directory: DataDirectory
): Effect.fn.Return<DataDirectory, DatabaseRefused | DirectoryInUse, Scope.Scope> {
  const { temporary } = directory
  const own = yield* lockedFolder(temporary, 1)
  // Before the lock is released.
  yield* Effect.addFinalizer(() => Effect.promise(() => rm(own, { recursive: true, force: true })))
  yield* removeDeadFolders(temporary)
  yield* Effect.forkScoped(Effect.forever(Effect.delay(removeDeadFolders(temporary), "1 hour")))
  return { ...directory, temporary: own }
})

/** Makes a folder and locks it. Another process may have seen it before it was locked, and removed it: then makes another. */
const lockedFolder = (
  parent: string,
  tries: number
): Effect.Effect<string, DatabaseRefused | DirectoryInUse, Scope.Scope> =>
  Effect.gen(function* () {
    const path = join(parent, randomUUID())
    yield* Effect.promise(() => mkdir(path, { recursive: true, mode: 0o700 }))
    const locked = yield* Effect.exit(lockDirectory(path))
    if (Exit.isSuccess(locked) && existsSync(join(path, "lock.db"))) return path
    if (tries < maxTries) return yield* lockedFolder(parent, tries + 1)
    if (Exit.isFailure(locked)) return yield* Effect.failCause(locked.cause)
    return yield* new DirectoryInUse({ directory: path })
  })

/** Removes the folders of processes that have ended. */
export const removeDeadFolders = Effect.fnUntraced(function* (parent: string) {
  for (const name of yield* Effect.promise(() => namesIn(parent))) {
    if (!isNodeId(name)) continue
    const path = join(parent, name)
    const clean = Effect.andThen(
      lockDirectory(path),
      Effect.tryPromise(() => rm(path, { recursive: true, force: true }))
    )
    yield* Effect.scoped(clean).pipe(
      Effect.catchTag("DirectoryInUse", () => Effect.void),
      // Another process that removes folders at the same time may have removed it.
      Effect.catch((error) =>
        existsSync(path) ? Effect.logWarning("temporary files could not be removed", { path }, error) : Effect.void
      )
    )
  }
})

/** Empty for a missing folder. */
const namesIn = (path: string) =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
