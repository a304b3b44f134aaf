import { Ids, type StoreParts, storeContext, Vault } from "@tapedeck/core"
import { Clock, Context, Effect, Layer } from "effect"
import { FileBytes } from "../files/FileBytes.ts"
import type { Database } from "../sql/database/Database.ts"
import { checkKey } from "../sql/database/key.ts"
import { withSpans } from "../sql/database/withSpans.ts"
import { makeFiles } from "../sql/files/repository.ts"
import { SpaceMonitor } from "../sql/files/SpaceMonitor.ts"
import { beginOrigin } from "../sql/recordings/changes.ts"
import { makeViews } from "../sql/recordings/Views.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { databaseClock } from "./clock.ts"
import { statementMs } from "./deadline.ts"
import { removeLooseFiles, type SharedFolder } from "./looseFiles.ts"
import { openDatabase, type PostgresOptions, refusing, type StorageError } from "./open.ts"

export { DatabaseRefused, OtherKey } from "../sql/database/errors.ts"
export type { ContentRow, Inspection } from "../sql/inspect/Inspection.ts"
export { openAuditChains } from "./audit/chains.ts"
export {
  inspectPostgres,
  inspectPostgresDeliveries,
  type PostgresVersion,
  postgresContents,
  postgresKnownContents,
  postgresVersion
} from "./inspect.ts"
export { rotatePostgresKey } from "./key.ts"
export type { PostgresOptions, StorageError } from "./open.ts"

/** Migrates a database to this program's version. Servers of the version before may use it meanwhile. */
export const migrateDatabase = (options: PostgresOptions): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(openDatabase(options)))

/**
 * Core's store in a PostgreSQL database, migrated to this program's version, which any number of processes may share. The key of
 * `Vault` has to be the database's. The layer also provides the database's clock, and removes what
 * no process works on in the `shared` folder.
 */
export const layerPostgres = (
  options: PostgresOptions & { readonly shared?: SharedFolder }
): Layer.Layer<StoreParts, StorageError, Vault | Ids | FileBytes> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const [vault, ids, bytes] = [yield* Vault, yield* Ids, yield* FileBytes]
      const { database: opened, name } = yield* openDatabase({ deadlineMs: statementMs, ...options })
      return yield* Effect.gen(function* () {
        yield* checkKey(opened, vault, name)
        const space = new SpaceMonitor(Effect.andThen(checkFreeSpace(opened), bytes.checkFreeSpace))
        const database = yield* withSpans(space.watchDatabase(opened))
        const clock = yield* databaseClock(database.now)
        const files = yield* Effect.provideService(makeFiles(database, space.watchFiles(bytes)), Clock.Clock, clock)
        if (options.shared !== undefined) {
          const clean = Effect.catchCause(removeLooseFiles(database, options.shared), (cause) =>
            Effect.logWarning("Temporary files could not be removed", cause)
          )
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(clean, Effect.sleep("1 hour"))))
        }
        const views = yield* makeViews(database)
        yield* beginOrigin(database)
        const store = makeSqlStore(database, { vault, ids, files, space, views })
        return Context.add(storeContext(store), Clock.Clock, clock)
      }).pipe(refusing(name))
    })
  )

/** Dies with `StorageFull` if PostgreSQL has no space for a megabyte: for a temporary table, which the transaction drops. */
const checkFreeSpace = ({ query, write }: Database): Effect.Effect<void> =>
  Effect.asVoid(
    write(
      query(
        "CREATE TEMPORARY TABLE tapedeck_room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 1000)"
      )
    )
  )
