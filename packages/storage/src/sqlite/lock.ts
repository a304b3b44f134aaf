import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { DatabaseRefused } from "../sql/database/errors.ts"
import { DirectoryInUse, sqlErrorOf } from "./errors.ts"

const BUSY = 5

/**
 * Locks the data directory for as long as the scope lasts, by a transaction on an empty database, `lock.db`: the operating system
 * releases it however the process ends, and processes of other users and containers respect it.
 */
export const lockDirectory = (
  directory: string
): Effect.Effect<void, DirectoryInUse | DatabaseRefused, Scope.Scope> => {
  const file = join(directory, "lock.db")
  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          const database = new DatabaseSync(file)
          try {
            database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")
          } catch (error) {
            database.close()
            throw error
          }
          return database
        },
        catch: (cause) =>
          (cause as { readonly errcode?: number }).errcode === BUSY
            ? new DirectoryInUse({ directory })
            : new DatabaseRefused({ file, why: sqlErrorOf(cause, file).message.slice(file.length + 2) })
      }),
      (database) => Effect.sync(() => database.close())
    )
  )
}
