import { Ids, type StoreParts, storeContext, Vault } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { onDisk } from "../files/errors.ts"
import { FileBytes } from "../files/FileBytes.ts"
import { checkFreeSpace } from "../files/freeSpace.ts"
import { checkKey } from "../sql/database/key.ts"
import { withSpans } from "../sql/database/withSpans.ts"
import { makeFiles } from "../sql/files/repository.ts"
import { SpaceMonitor } from "../sql/files/SpaceMonitor.ts"
import { beginOrigin } from "../sql/recordings/changes.ts"
import { makeViews } from "../sql/recordings/Views.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { endLeases } from "./deliveries/leases.ts"
import { openDatabase, refusing, type StorageError } from "./open.ts"
import { keepSearchIndex } from "./searchIndex.ts"

export { isContentKey, sha256Of } from "../files/contentKey.ts"
export { DatabaseRefused, OtherKey } from "../sql/database/errors.ts"
export { keyFingerprint } from "../sql/database/key.ts"
export { type ContentRow, type Inspection, newestVersion } from "../sql/inspect/Inspection.ts"
export { openAuditChains } from "./audit/chains.ts"
export { DirectoryInUse } from "./errors.ts"
export { contentsIn, inspectDatabase, inspectDeliveries, knownContents } from "./inspect.ts"
export { isKeyOf, rotateKey } from "./key.ts"
export { lockDirectory } from "./lock.ts"
export type { StorageError } from "./open.ts"
export {
  copyDatabase,
  databaseVersion,
  disownCopy,
  keyFingerprintIn,
  readSnapshot,
  type Snapshot
} from "./snapshot.ts"

export interface SqliteOptions {
  /** The database's file, which is created if it does not exist. Its directory has to exist. */
  readonly file: string
}

/** Migrates a database to this program's version. No server may use it meanwhile. */
export const migrateDatabase = (file: string): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(openDatabase(file)))

/**
 * Core's store in a SQLite file, migrated to this program's version. The process has the directory to itself. The key of `Vault`
 * has to be the database's.
 */
export const layerSqlite = ({ file }: SqliteOptions): Layer.Layer<StoreParts, StorageError, Vault | Ids | FileBytes> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const [vault, ids, bytes] = [yield* Vault, yield* Ids, yield* FileBytes]
      const opened = yield* openDatabase(file)
      yield* checkKey(opened, vault, file)
      yield* endLeases(opened)
      const checkDatabase = onDisk(file, () => checkFreeSpace(file))
      const space = new SpaceMonitor(Effect.andThen(checkDatabase, bytes.checkFreeSpace))
      const database = yield* withSpans(space.watchDatabase(opened))
      const files = yield* makeFiles(database, space.watchFiles(bytes))
      const views = yield* makeViews(database)
      yield* keepSearchIndex(database)
      yield* beginOrigin(database)
      return storeContext(makeSqlStore(database, { vault, ids, files, space, views }))
    }).pipe(refusing(file))
  )
