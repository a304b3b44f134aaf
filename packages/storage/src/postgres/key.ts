import type { Ids } from "@tapedeck/core"
import { Effect } from "effect"
import { DatabaseRefused } from "../sql/database/errors.ts"
import { checkKey, keyFingerprint, readKeyFingerprint } from "../sql/database/key.ts"
import { type KeyChange, reseal } from "../sql/database/reseal.ts"
import { openDatabase, type PostgresOptions, refusing, type StorageError } from "./open.ts"
import { commandName, isNodeRunning } from "./sessions.ts"

/**
 * Seals all secrets in the database with another key, in one transaction, as on SQLite (R19, S3). It is refused while nodes use the
 * database, and none may start meanwhile: they would use the old key. Repeating it changes nothing.
 */
export const rotatePostgresKey = (
  options: PostgresOptions,
  { from, to }: KeyChange
): Effect.Effect<void, StorageError, Ids> =>
  Effect.scoped(
    Effect.flatMap(openDatabase({ ...options, application: commandName }), ({ database, name }) =>
      Effect.gen(function* () {
        if (yield* database.read(isNodeRunning(database)))
          return yield* new DatabaseRefused({ file: name, why: "nodes use it: stop them first" })
        const found = yield* database.read(readKeyFingerprint(database))
        if (found === keyFingerprint(to)) return
        yield* checkKey(database, from, name)
        yield* reseal(database, { from, to })
      }).pipe(refusing(name))
    )
  )
