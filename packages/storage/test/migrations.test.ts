import { Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { postgresDialect } from "../src/postgres/dialect.ts"
import { sqliteDialect } from "../src/sql/database/dialect.ts"
import { type Migration, migrate, onlyAdds } from "../src/sql/database/migrate.ts"
import { migrations } from "../src/sql/migrations/index.ts"
import { makeSqliteDatabase } from "../src/sqlite/client.ts"
import { readContent, vault, writeContent } from "./content.ts"
import { addingVersion, removingVersion, upgradeSqlite } from "./nextVersion.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"

const readIn = (directory: string) => Effect.scoped(Effect.flatMap(openStore(directory, vault), readContent))

/** A new database that holds one of everything. */
const filledDirectory = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  yield* Effect.scoped(Effect.flatMap(openStore(directory, vault), writeContent))
  return directory
})

describe("the versions of the database", () => {
  test("are numbered from 1, without gaps", () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })

  test("an upgrade keeps all content, and this version's program reads all of it where the next version only adds", () =>
    Effect.gen(function* () {
      const [upgraded, unchanged] = [yield* filledDirectory, yield* filledDirectory]
      yield* upgradeSqlite(databaseIn(upgraded), addingVersion)
      expect(yield* readIn(upgraded)).toEqual(yield* readIn(unchanged))
      // The next version's program finds nothing more to do.
      yield* upgradeSqlite(databaseIn(upgraded), addingVersion)
    }).pipe(Effect.scoped, Effect.runPromise))

  test("this version's program refuses a database that the next version took something from", () =>
    Effect.gen(function* () {
      const directory = yield* filledDirectory
      yield* upgradeSqlite(databaseIn(directory), removingVersion)
      const error = yield* Effect.flip(readIn(directory))
      expect(error.message).toContain(
        `The database is of version ${removingVersion.version}, which a newer Tapedeck made`
      )
    }).pipe(Effect.scoped, Effect.runPromise))
})

const meta = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"

describe("a migration that fails", () => {
  const good: Migration = { version: 1, name: "good", statements: () => [meta, "CREATE TABLE a (x TEXT)"] }
  const bad: Migration = { version: 2, name: "bad", statements: () => ["CREATE TABLE b (x TEXT)", "CREATE TABEL c"] }
  const mended: Migration = { version: 2, name: "mended", statements: () => ["CREATE TABLE b (x TEXT)"] }

  test("leaves the previous version unchanged, and can be repeated when it is fixed", () =>
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

describe("a program of an earlier version", () => {
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
  ])("works with the migration %s: %s", (statement, isUnnoticed) => expect(onlyAdds(statement)).toBe(isUnnoticed))

  test("is declared to work only with migrations that add", () => {
    for (const dialect of [sqliteDialect, postgresDialect]) {
      for (const { name, statements, version, worksFrom = version } of [...migrations, addingVersion]) {
        const others = statements(dialect).filter((statement) => !onlyAdds(statement))
        expect(worksFrom < version ? others : [], name).toEqual([])
      }
    }
  })
})
