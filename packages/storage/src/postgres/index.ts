import { Ids, Store, Vault } from "@tapedeck/core"
import { Clock, Context, Effect, Layer } from "effect"
import { FileBytes } from "../files/FileBytes.ts"
import { checkKey } from "../sql/checkKey.ts"
import type { Database } from "../sql/Database.ts"
import { makeFiles } from "../sql/files.ts"
import { makeViews } from "../sql/recordings/Views.ts"
import { Space } from "../sql/Space.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { databaseClock } from "./clock.ts"
import { openDatabase, type PostgresOptions, refusing, type StorageError } from "./open.ts"

export type { ContentRow, Inspection } from "../sql/inspect/Inspection.ts"
export { DatabaseRefused, OtherKey } from "../sql/refusals.ts"
export { openAuditChains } from "./auditChains.ts"
export {
  inspectPostgres,
  inspectPostgresDeliveries,
  postgresContents,
  postgresKnownContents
} from "./inspect.ts"
export { rotatePostgresKey } from "./key.ts"
export type { PostgresOptions, StorageError } from "./open.ts"

/** Brings a database to this program's version. Servers of the version before may run on it meanwhile. */
export const migrateDatabase = (options: PostgresOptions): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(openDatabase(options)))

/**
 * Core's store in a PostgreSQL database, brought to this program's version, with as many other processes on it as there may
 * be. The key behind `Vault` has to be the one that the database was last used with. Whoever is given the store has the
 * database's time too, in place of the machine's.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Store, StorageError, Vault | Ids | FileBytes> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const [vault, ids, bytes] = [yield* Vault, yield* Ids, yield* FileBytes]
      const { database: opened, name } = yield* openDatabase(options)
      return yield* Effect.gen(function* () {
        yield* checkKey(opened, vault, name)
        const space = new Space(Effect.andThen(checkRoom(opened), bytes.checkRoom ?? Effect.void))
        const database = space.watchDatabase(opened)
        const files = yield* makeFiles(database, space.watchFiles(bytes))
        const views = yield* makeViews(database)
        const store = makeSqlStore(database, { vault, ids, files, space, views })
        return Context.add(Context.make(Store, store), Clock.Clock, yield* databaseClock(database.now))
      }).pipe(refusing(name))
    })
  )

/**
 * Dies with `StorageFull` where PostgreSQL finds no space for a megabyte: for a table of this session alone, which is gone
 * with the transaction.
 */
const checkRoom = ({ query, write }: Database): Effect.Effect<void> =>
  Effect.asVoid(
    write(
      query(
        "CREATE TEMPORARY TABLE tapedeck_room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 1000)"
      )
    )
  )
