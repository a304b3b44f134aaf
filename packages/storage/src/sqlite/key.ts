import { DatabaseSync } from "node:sqlite"
import type { Ids, Vault } from "@tapedeck/core"
import { Effect } from "effect"
import { checkKey } from "../sql/checkKey.ts"
import { keyFingerprint, readKeyFingerprint } from "../sql/keyFingerprint.ts"
import { type KeyChange, reseal } from "../sql/reseal.ts"
import { openDatabase, refusing, type StorageError } from "./open.ts"
import { sqlErrorOf } from "./trouble.ts"

/**
 * Whether the key is the one that the database in the file was last used with; any is, of a database that was never used.
 * It decides, after a crash between the database's commit and the renaming of the key's file, which of both keys is to be kept.
 */
export const isKeyOf = (file: string, vault: Vault["Service"]): Effect.Effect<boolean, StorageError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* openDatabase(file)
      const found = yield* database.read(readKeyFingerprint(database))
      return found === undefined || found === keyFingerprint(vault)
    })
  )

/**
 * Seals everything in the database with another key, in one transaction: tokens, secrets and the values of custom headers
 * (R19, S3). No server may run on it meanwhile. Doing it again after it was done changes nothing, so that a command that
 * was interrupted can be repeated.
 */
export const rotateKey = (file: string, { from, to }: KeyChange): Effect.Effect<void, StorageError, Ids> =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* openDatabase(file)
      const found = yield* database.read(readKeyFingerprint(database))
      if (found === keyFingerprint(to)) return
      yield* checkKey(database, from, file)
      yield* reseal(database, { from, to })
      yield* rebuild(file)
    }).pipe(refusing(file))
  )

/** What was sealed with the old key, now or before, still lies in the file's free pages until it is built anew. */
const rebuild = (file: string): Effect.Effect<void> =>
  Effect.try({
    try: () => {
      const database = new DatabaseSync(file)
      try {
        database.exec("VACUUM")
      } finally {
        database.close()
      }
    },
    catch: (cause) => sqlErrorOf(cause, file)
  }).pipe(
    // Everything has the new key by now: that is not undone for want of space.
    Effect.catch(({ message }) =>
      Effect.logWarning(`${message}; its free pages may hold what the old key opens, until VACUUM is run on it`)
    )
  )
