import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, rename, rm } from "node:fs/promises"
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
 * belongs to a process that has ended. At the start this process takes over the uploads in progress of those. Each hour it removes
 * their other files.
 */
export const withNodeFolder = Effect.fnUntraced(function* (
  directory: DataDirectory
): Effect.fn.Return<DataDirectory, DatabaseRefused | DirectoryInUse, Scope.Scope> {
  const { temporary } = directory
  const own = yield* lockedFolder(temporary, 1)
  const uploads = join(own, "uploads")
  yield* Effect.promise(() => mkdir(uploads, { mode: 0o700 }))
  // Before the lock is released.
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      if ((await namesIn(uploads)).length === 0) await rm(own, { recursive: true, force: true })
    })
  )
  yield* cleanDeadFolders(temporary, uploads)
  const cleanLater = Effect.delay(cleanDeadFolders(temporary, null), "1 hour")
  yield* Effect.forkScoped(Effect.forever(cleanLater))
  return { ...directory, temporary: own, uploads }
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

/** Cleans the folders of processes that have ended. With `uploads`, moves their uploads there; else keeps these. */
export const cleanDeadFolders = Effect.fnUntraced(function* (parent: string, uploads: string | null) {
  for (const name of yield* Effect.promise(() => namesIn(parent))) {
    if (!isNodeId(name)) continue
    const path = join(parent, name)
    const clean = Effect.andThen(
      lockDirectory(path),
      Effect.tryPromise(() => cleanDead(path, uploads))
    )
    yield* Effect.scoped(clean).pipe(
      Effect.catchTag("DirectoryInUse", () => Effect.void),
      // Another process that cleans at the same time may have removed it.
      Effect.catch((error) =>
        existsSync(path) ? Effect.logWarning("temporary files could not be removed", { path }, error) : Effect.void
      )
    )
  }
})

const cleanDead = async (path: string, uploads: string | null) => {
  const left = join(path, "uploads")
  // Bytes move first. Bytes without a description belong to no upload, and after a crash in between the next start moves the rest.
  const names = (await namesIn(left)).sort()
  if (uploads !== null) for (const name of names) await rename(join(left, name), join(uploads, name))
  if (uploads !== null || names.length === 0) return rm(path, { recursive: true, force: true })
  for (const name of await namesIn(path)) {
    if (name !== "uploads" && !name.startsWith("lock.db")) await rm(join(path, name), { recursive: true, force: true })
  }
}

/** Empty for a missing folder. */
const namesIn = (path: string) =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
