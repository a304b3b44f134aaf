import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { type Migration, migrate } from "../src/sql/migrate.ts"
import { migrations } from "../src/sql/migrations/index.ts"
import { makeSqliteDatabase } from "../src/sqlite/client.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"
import { readContent, vault, writeContent } from "./versions/content.ts"
import { schemaOf } from "./versions/dump.ts"

const versions = migrations.map(({ version }) => version)
const earlier = versions.slice(0, -1)

/** A directory with the database of that version, as it was written then. */
const directoryOf = Effect.fnUntraced(function* (version: number) {
  const directory = yield* temporaryDirectory
  const database = new DatabaseSync(databaseIn(directory))
  database.exec(readFileSync(join(import.meta.dirname, "versions", `v${version}.sql`), "utf8"))
  database.close()
  return directory
})

/** A new one that holds the same. */
const freshDirectory = Effect.fnUntraced(function* (version: number) {
  const directory = yield* temporaryDirectory
  yield* Effect.scoped(Effect.flatMap(openStore(directory, vault), (store) => writeContent(store, version)))
  return directory
})

const contentOf = (directory: string) => Effect.scoped(Effect.flatMap(openStore(directory, vault), readContent))

describe("the versions of the database", () => {
  test("are numbered from 1, without gaps", () => {
    expect(versions).toEqual(versions.map((_, index) => index + 1))
  })

  for (const version of earlier) {
    test(`${version} is brought to ${versions.length}: it is built like a new one, and holds what it held`, () =>
      Effect.gen(function* () {
        const [upgraded, fresh] = [yield* directoryOf(version), yield* freshDirectory(version)]
        expect(yield* contentOf(upgraded)).toEqual(yield* contentOf(fresh))
        expect(schemaOf(databaseIn(upgraded)).toSorted()).toEqual(schemaOf(databaseIn(fresh)).toSorted())
        // And once more: there is nothing left to do.
        yield* Effect.scoped(openStore(upgraded, vault))
      }).pipe(Effect.scoped, Effect.runPromise))
  }
})

describe("a migration that fails", () => {
  const good: Migration = { version: 1, name: "good", statements: () => ["CREATE TABLE a (x TEXT)"] }
  const bad: Migration = { version: 2, name: "bad", statements: () => ["CREATE TABLE b (x TEXT)", "CREATE TABEL c"] }
  const mended: Migration = { version: 2, name: "mended", statements: () => ["CREATE TABLE b (x TEXT)"] }

  test("leaves the version before it whole, and can be done once it is mended", () =>
    Effect.gen(function* () {
      const { database } = yield* makeSqliteDatabase(databaseIn(yield* temporaryDirectory))
      const { query, read } = database
      const found = read(
        Effect.map(query<[string]>("SELECT name FROM sqlite_master WHERE name IN ('a', 'b') ORDER BY name"), (rows) =>
          rows.map(([name]) => name)
        )
      )
      expect(Exit.isFailure(yield* Effect.exit(migrate(database, [good, bad])))).toBe(true)
      expect(yield* found).toEqual(["a"])
      yield* migrate(database, [good, mended])
      expect(yield* found).toEqual(["a", "b"])
    }).pipe(Effect.scoped, Effect.runPromise))
})
