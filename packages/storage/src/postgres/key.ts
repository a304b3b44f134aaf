import type { Ids } from "@tapedeck/core"
import { Effect } from "effect"
import { checkKey } from "../sql/checkKey.ts"
import { keyFingerprint, readKeyFingerprint } from "../sql/keyFingerprint.ts"
import { DatabaseRefused } from "../sql/refusals.ts"
import { type KeyChange, reseal } from "../sql/reseal.ts"
import { commandName, nodeAtWork } from "./atWork.ts"
import { openDatabase, type PostgresOptions, refusing, type StorageError } from "./open.ts"

/**
 * Seals everything in the database with another key, in one transaction, as on SQLite (R19, S3). It is refused while nodes
 * are at work on the database, and none may be started meanwhile: they would go on with the key of before. Doing it again
 * after it was done changes nothing.
 */
export const rotatePostgresKey = (
  options: PostgresOptions,
  { from, to }: KeyChange
): Effect.Effect<void, StorageError, Ids> =>
  Effect.scoped(
    Effect.flatMap(openDatabase({ ...options, application: commandName }), ({ database, name }) =>
      Effect.gen(function* () {
        if (yield* database.read(nodeAtWork(database)))
          return yield* new DatabaseRefused({ file: name, why: "nodes are at work on it: stop them first" })
        const found = yield* database.read(readKeyFingerprint(database))
        if (found === keyFingerprint(to)) return
        yield* checkKey(database, from, name)
        yield* reseal(database, { from, to })
      }).pipe(refusing(name))
    )
  )
