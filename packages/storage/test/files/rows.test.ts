import { Effect } from "effect"
import { expect, test } from "vitest"
import { fileRows } from "../../src/sql/files/rows.ts"
import { migrate } from "../../src/sql/migrate.ts"
import { migrations } from "../../src/sql/migrations/index.ts"
import { makeSqliteDatabase } from "../../src/sqlite/client.ts"
import { databaseIn, temporaryDirectory } from "../openStore.ts"

test("unused content gets its size when a file refers to it", () =>
  Effect.gen(function* () {
    const { database } = yield* makeSqliteDatabase(databaseIn(yield* temporaryDirectory))
    yield* migrate(database, migrations)
    const rows = fileRows(database)
    // A transaction that put it in its place failed, and runs again.
    yield* database.write(rows.addUnused("abc"))
    yield* database.write(rows.put("file", { sha256: "abc", sizeBytes: 5 }, false))
    expect(yield* database.query("SELECT sha256, size_bytes, refs FROM file_contents")).toEqual([["abc", 5, 1]])
  }).pipe(Effect.scoped, Effect.runPromise))
