import { DatabaseSync } from "node:sqlite"
import type { Ids, Vault } from "@tapedeck/core"
import { Effect } from "effect"
import { checkKey, keyFingerprint, readKeyFingerprint } from "../sql/database/key.ts"
import { type KeyChange, reseal } from "../sql/database/reseal.ts"
import { sqlErrorOf } from "./errors.ts"
import { openDatabase, refusing, type StorageError } from "./open.ts"

/**
 * Returns whether the database's secrets are sealed with the key; true for an unused database. After a crash between the database's
 * commit and the renaming of the key's file, this decides which key is kept.
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
 * Seals all secrets in the database with another key, in one transaction: tokens, secrets and the values of custom headers (R19,
 * S3). No server may use it meanwhile. Repeating it changes nothing, so that an interrupted command can be repeated.
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

/** The file's free pages contain texts that the old key opens, until it is rebuilt. */
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
    // All secrets have the new key already: a lack of space does not undo that.
    Effect.catch(({ message }) =>
      Effect.logWarning("free pages of the database may contain secrets that the old key opens", {
        reason: message,
        remedy: "run VACUUM on it"
      })
    )
  )
