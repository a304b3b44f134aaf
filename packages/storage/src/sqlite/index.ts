import { Ids, Store, Vault } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { FileBytes } from "../files/FileBytes.ts"
import { checkRoom } from "../files/room.ts"
import { onDisk } from "../files/trouble.ts"
import { checkKey } from "../sql/checkKey.ts"
import { endLeases } from "../sql/endLeases.ts"
import { makeFiles } from "../sql/files.ts"
import { makeViews } from "../sql/recordings/Views.ts"
import { Space } from "../sql/Space.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { openDatabase, refusing, type StorageError } from "./open.ts"

export { type ContentRow, type Inspection, newestVersion } from "../sql/inspect/Inspection.ts"
export { keyFingerprint } from "../sql/keyFingerprint.ts"
export { DatabaseRefused, OtherKey } from "../sql/refusals.ts"
export { openAuditChains } from "./auditChains.ts"
export { contentsIn, inspectDatabase, inspectDeliveries, knownContents } from "./inspect.ts"
export { isKeyOf, rotateKey } from "./key.ts"
export type { StorageError } from "./open.ts"
export {
  copyDatabase,
  databaseVersion,
  keyFingerprintIn,
  readSnapshot,
  type Snapshot
} from "./snapshot.ts"
export { DirectoryInUse } from "./trouble.ts"

export interface SqliteOptions {
  /** The database's file. It is made where there is none; its directory is not. */
  readonly file: string
}

/** Brings a database to this program's version. No server may run on it meanwhile. */
export const migrateDatabase = (file: string): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(openDatabase(file)))

/**
 * Core's store in a SQLite file, brought to this program's version. Its directory is this process's for as long; the key
 * behind `Vault` has to be the one that the database was last used with.
 */
export const layerSqlite = ({ file }: SqliteOptions): Layer.Layer<Store, StorageError, Vault | Ids | FileBytes> =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const [vault, ids, bytes] = [yield* Vault, yield* Ids, yield* FileBytes]
      const opened = yield* openDatabase(file)
      yield* checkKey(opened, vault, file)
      yield* endLeases(opened)
      const room = onDisk(file, () => checkRoom(file))
      const space = new Space(Effect.andThen(room, bytes.checkRoom ?? Effect.void))
      const database = space.watchDatabase(opened)
      const files = yield* makeFiles(database, space.watchFiles(bytes))
      const views = yield* makeViews(database)
      return makeSqlStore(database, { vault, ids, files, space, views })
    }).pipe(refusing(file))
  )
