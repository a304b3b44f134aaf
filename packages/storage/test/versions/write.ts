/**
 * Writes `v<version>.sql`: a database of that version with something of everything in it, which a test brings to the newest.
 * As long as a version is not released it is written anew whenever the version changes, as in
 * `node --conditions=source test/versions/write.ts 1`; from then on the file stays as it is.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Ids } from "@tapedeck/core"
import { Effect } from "effect"
import { memoryBytes } from "../../src/files/memory.ts"
import { makeFiles } from "../../src/sql/files.ts"
import { writeKeyFingerprint } from "../../src/sql/keyFingerprint.ts"
import { migrate } from "../../src/sql/migrate.ts"
import { migrations } from "../../src/sql/migrations/index.ts"
import { makeViews } from "../../src/sql/recordings/Views.ts"
import { Space } from "../../src/sql/Space.ts"
import { makeSqlStore } from "../../src/sql/sqlStore.ts"
import { makeSqliteDatabase } from "../../src/sqlite/client.ts"
import { temporaryDirectory } from "../openStore.ts"
import { vault, writeContent } from "./content.ts"
import { dumpOf } from "./dump.ts"

const version = Number(process.argv[2])

const program = Effect.gen(function* () {
  const file = join(yield* temporaryDirectory, "tapedeck.db")
  const { database } = yield* makeSqliteDatabase(file)
  yield* migrate(database, migrations.slice(0, version))
  yield* database.write(Effect.asVoid(writeKeyFingerprint(database, vault)))
  const files = yield* makeFiles(database, memoryBytes())
  const parts = { files, vault, ids: yield* Ids, space: new Space(Effect.void), views: yield* makeViews(database) }
  yield* writeContent(makeSqlStore(database, parts), version)
  writeFileSync(join(import.meta.dirname, `v${version}.sql`), dumpOf(file))
})

await program.pipe(Effect.scoped, Effect.provide(Ids.layerRandom), Effect.runPromise)
