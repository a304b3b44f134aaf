import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { StorageFull } from "@tapedeck/core"
import { Effect, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/database/Database.ts"
import { DatabaseRefused, type OtherKey } from "../sql/database/errors.ts"
import { migrate } from "../sql/database/migrate.ts"
import { migrations as allMigrations } from "../sql/migrations/index.ts"
import { makeSqliteDatabase } from "./client.ts"
import type { DirectoryInUse } from "./errors.ts"
import { lockDirectory } from "./lock.ts"

/** Reason why a database cannot be used. The message names the database and what to do. */
export type StorageError = DatabaseRefused | DirectoryInUse | OtherKey

const refused = (file: string, { message }: Error): DatabaseRefused =>
  new DatabaseRefused({ file, why: message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message })

/** Turns the database's defects into `DatabaseRefused`, at start. */
export const refusing =
  (file: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseRefused, R> =>
    Effect.catchDefect(effect, (defect) => {
      if (isSqlError(defect)) return Effect.fail(refused(file, defect))
      return defect instanceof StorageFull
        ? Effect.fail(new DatabaseRefused({ file, why: "there is no space left for it" }))
        : Effect.die(defect)
    })

/** Creates the file for its owner only. SQLite creates its log and index with the same permissions. */
const makeFile = (file: string): Effect.Effect<void, DatabaseRefused> =>
  Effect.try({
    try: () => closeSync(openSync(file, "a", 0o600)),
    catch: (error) => new DatabaseRefused({ file, why: reasonOf(error as NodeJS.ErrnoException) })
  })

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === "ENOENT") return "its directory does not exist"
  if (code === "EACCES" || code === "EPERM") return "this user may not write to it, or to its directory"
  if (code === "EROFS") return "the file system is read-only"
  return code === "ENOSPC" || code === "EDQUOT" ? "there is no space left for it" : message
}

/**
 * The database in a file, brought to this program's version (tests pass others' migrations). The process has its directory to
 * itself as long as the scope lasts.
 */
export const openDatabase = (
  file: string,
  migrations = allMigrations
): Effect.Effect<Database, StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* makeFile(file)
    yield* lockDirectory(dirname(file))
    const { database } = yield* makeSqliteDatabase(file)
    yield* migrate(database, migrations)
    return database
  }).pipe(
    Effect.catchTags({
      SqlError: (error: SqlError) => Effect.fail(refused(file, error)),
      MigrationRefused: (error) => Effect.fail(refused(file, error))
    }),
    refusing(file)
  )
