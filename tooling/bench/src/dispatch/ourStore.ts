import { dirname, join } from "node:path"
import { Ids, Vault } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { layerPostgres } from "@tapedeck/storage/postgres"
import { layerSqlite } from "@tapedeck/storage/sqlite"
import { Layer, Redacted } from "effect"

const foundation = Layer.merge(Vault.layer(Redacted.make(new Uint8Array(32).fill(1))), Ids.layerRandom)

/** Files are no part of the benches; they are beside the database, or nowhere. */
const filesBeside = (file: string) => {
  const directory = dirname(file)
  return FileBytes.layerDisk({ directory: join(directory, "files"), temporary: join(directory, "tmp") })
}

/** The server's store in a file of SQLite's, or in a database of PostgreSQL's, with the ids and the vault it is made with. */
export const storeOn = (kind: "sqlite" | "postgres", where: string) => {
  const store =
    kind === "postgres"
      ? Layer.provide(layerPostgres({ url: Redacted.make(where) }), FileBytes.layerMemory)
      : Layer.provide(layerSqlite({ file: where }), filesBeside(where))
  return Layer.provideMerge(store, foundation)
}
