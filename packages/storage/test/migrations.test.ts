import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { postgresDialect } from "../src/postgres/dialect.ts"
import { sqliteDialect } from "../src/sql/dialect.ts"
import { type Migration, migrate, onlyAdds } from "../src/sql/migrate.ts"
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

const meta = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"

describe("a migration that fails", () => {
  const good: Migration = { version: 1, name: "good", statements: () => [meta, "CREATE TABLE a (x TEXT)"] }
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

describe("a program of the version before", () => {
  const one: Migration = { version: 1, name: "one", statements: () => [meta] }
  const two: Migration = { version: 2, name: "two", statements: () => ["CREATE TABLE a (x TEXT)"] }
  const more: Migration = {
    version: 3,
    name: "more",
    worksFrom: 2,
    statements: () => ["ALTER TABLE a ADD COLUMN y TEXT"]
  }
  const less: Migration = { version: 4, name: "less", statements: () => ["ALTER TABLE a DROP COLUMN x"] }

  test.each([
    { made: [one, two, more], program: [one, two], is: "works" },
    { made: [one, two, more], program: [one], is: "refused" },
    { made: [one, two, more, less], program: [one, two, more], is: "refused" },
    { made: [one, two], program: [one], is: "refused" }
  ])("of $program.length migrations on a database of $made.length is: $is", ({ is, made, program }) =>
    Effect.gen(function* () {
      const { database } = yield* makeSqliteDatabase(databaseIn(yield* temporaryDirectory))
      yield* migrate(database, made)
      const exit = yield* Effect.exit(migrate(database, program))
      expect(Exit.isSuccess(exit) ? "works" : "refused").toBe(is)
      // It took nothing away: the newer program finds it as it was.
      yield* migrate(database, made)
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  test.each([
    ["CREATE TABLE b (x TEXT NOT NULL)", true],
    ["CREATE INDEX b_x ON b (x)", true],
    ["ALTER TABLE a ADD COLUMN y BIGINT", true],
    ["ALTER TABLE a ADD COLUMN y BIGINT NOT NULL DEFAULT 0", true],
    ["ALTER TABLE a ADD COLUMN y BIGINT NOT NULL", false],
    ["ALTER TABLE a ADD COLUMN y TEXT UNIQUE", false],
    ["CREATE UNIQUE INDEX b_x ON b (x)", false],
    ["ALTER TABLE a DROP COLUMN x", false],
    ["UPDATE a SET x = 1", false]
  ])("%s: does not notice it: %s", (statement, isUnnoticed) => expect(onlyAdds(statement)).toBe(isUnnoticed))

  test("is said to work only where migrations add", () => {
    for (const dialect of [sqliteDialect, postgresDialect]) {
      for (const { name, statements, version, worksFrom = version } of migrations) {
        const others = statements(dialect).filter((statement) => !onlyAdds(statement))
        expect(worksFrom < version ? others : [], name).toEqual([])
      }
    }
  })
})
