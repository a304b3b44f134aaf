import { Ids, Store, Vault } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { FileBytes } from "../files/FileBytes.ts"
import { checkKey } from "../sql/checkKey.ts"
import { makeFiles } from "../sql/files.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { openDatabase, type PostgresOptions, refusing, type StorageError } from "./open.ts"

export { DatabaseRefused, OtherKey } from "../sql/refusals.ts"
export type { PostgresOptions, StorageError } from "./open.ts"

/** Brings a database to this program's version. Servers of the version before may run on it meanwhile. */
export const migrateDatabase = (options: PostgresOptions): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(openDatabase(options)))

/**
 * Core's store in a PostgreSQL database, brought to this program's version, with as many other processes on it as there may
 * be. The key behind `Vault` has to be the one that the database was last used with.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Store, StorageError, Vault | Ids | FileBytes> =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const [vault, ids, bytes] = [yield* Vault, yield* Ids, yield* FileBytes]
      const { database, name } = yield* openDatabase(options)
      return yield* Effect.gen(function* () {
        yield* checkKey(database, vault, name)
        const files = yield* makeFiles(database, bytes)
        return makeSqlStore(database, { vault, ids, files })
      }).pipe(refusing(name))
    })
  )
