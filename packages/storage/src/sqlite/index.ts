import { Ids, Store, Vault } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { makeTemporaryFiles } from "../files/index.ts"
import { migrate } from "../sql/migrate.ts"
import { migrations } from "../sql/migrations/index.ts"
import { makeSqlStore } from "../sql/sqlStore.ts"
import { makeSqliteDatabase } from "./client.ts"

export interface SqliteOptions {
  /** The database's file; it is made where there is none, its directory is not. */
  readonly file: string
}

/** Core's store in a SQLite file, brought to this program's version. */
export const layerSqlite = ({ file }: SqliteOptions) =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const [vault, ids] = [yield* Vault, yield* Ids]
      const { database } = yield* makeSqliteDatabase(file)
      yield* migrate(database, migrations)
      return makeSqlStore(database, { vault, ids, files: makeTemporaryFiles() })
    })
  )
