import { spawn } from "node:child_process"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, test, vi } from "vitest"
import { openDatabase } from "../src/sqlite/open.ts"
import { SqliteConnection } from "../src/sqlite/SqliteConnection.ts"
import { databaseIn, openStore, temporaryDirectory, vaultOf } from "./openStore.ts"
import { acme, aFolder } from "./samples.ts"

const inDirectory = <A, E>(body: (directory: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryDirectory, body)))

/** Why the store in the directory does not open. */
const refusal = (directory: string, vault = vaultOf(7)) => Effect.flip(Effect.scoped(openStore(directory, vault)))

/** Another process that has the directory's lock until it is killed. */
const otherOwner = (directory: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const script = `
        const database = new (require("node:sqlite").DatabaseSync)(process.argv[1])
        database.exec("BEGIN EXCLUSIVE")
        console.log("locked")
        process.stdin.resume()`
      const child = spawn(process.execPath, ["-e", script, join(directory, "lock.db")])
      child.stdout.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) => kill(child)
  )

const kill = (child: ReturnType<typeof spawn>) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** As a user without rights, also where the tests run as root. */
const withoutRights = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  process.geteuid?.() !== 0
    ? effect
    : Effect.acquireUseRelease(
        Effect.sync(() => process.seteuid!(65_534)),
        () => effect,
        () => Effect.sync(() => process.seteuid!(0))
      )

describe("a data directory", () => {
  test("has one owner at a time: a second one is told so, and which directory it is", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* openStore(directory)
        const error = yield* refusal(directory)
        expect(error._tag).toBe("DirectoryInUse")
        expect(error.message).toContain(`${directory}: another Tapedeck server`)
      })
    ))

  test("is anybody's once its owner has left it", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const first = yield* Scope.make()
        const store = yield* Scope.provide(openStore(directory), first)
        yield* store.folders.save(aFolder("kept"))
        yield* Scope.close(first, Exit.void)
        expect(yield* (yield* openStore(directory)).folders.list(acme.id)).toEqual([aFolder("kept")])
      })
    ))

  test("is anybody's once the process that had it was killed", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const owner = yield* otherOwner(directory)
        expect((yield* refusal(directory))._tag).toBe("DirectoryInUse")
        yield* kill(owner)
        yield* openStore(directory)
      })
    ))

  test("that this user may not write to is refused by its name", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory))
        chmodSync(directory, 0o555)
        chmodSync(databaseIn(directory), 0o444)
        const error = yield* withoutRights(refusal(directory))
        expect(error.message).toBe(`${databaseIn(directory)}: this user may not write to it, or to its directory`)
        chmodSync(directory, 0o700)
      })
    ))

  test("that is not there is refused by its name", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const file = join(directory, "missing", "tapedeck.db")
        const error = yield* Effect.flip(Effect.scoped(openDatabase(file)))
        expect(error.message).toBe(`${file}: its directory is not there`)
      })
    ))
})

describe("a database's file", () => {
  test("is for its owner alone, and so are those that SQLite makes beside it", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* openStore(directory)
        for (const ending of ["", "-wal", "-shm"]) {
          expect(statSync(`${databaseIn(directory)}${ending}`).mode & 0o777).toBe(0o600)
        }
      })
    ))

  test("that is no database is refused, and stays as it is", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const text = "not a database, but something that somebody may want to keep ".repeat(20)
        writeFileSync(databaseIn(directory), text)
        expect((yield* refusal(directory)).message).toBe(`${databaseIn(directory)}: it is no SQLite database`)
      })
    ))

  test("that a newer program made is refused, and what to do is said", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory))
        const database = new DatabaseSync(databaseIn(directory))
        database.exec("INSERT INTO migrations (version, name, checksum) VALUES (1000, 'later', '')")
        database.close()
        const error = yield* refusal(directory)
        expect(error.message).toMatch(/tapedeck\.db: .*of version 1000.*newer Tapedeck.*restore a backup/)
      })
    ))

  test("whose tables another build made is refused", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory))
        const database = new DatabaseSync(databaseIn(directory))
        database.exec("UPDATE migrations SET checksum = 'another' WHERE version = 1")
        database.close()
        expect((yield* refusal(directory)).message).toContain("version 1 was made by another build of Tapedeck")
      })
    ))

  test("for which there is no space left is refused, and what to do is said", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        // Of the first version, with no room for the tables of the second.
        const database = new DatabaseSync(databaseIn(directory))
        database.exec(readFileSync(join(import.meta.dirname, "versions", "v1.sql"), "utf8"))
        database.close()
        const run = vi.spyOn(SqliteConnection.prototype, "run").mockImplementation(function (
          this: SqliteConnection,
          sql
        ) {
          run.mockRestore()
          this.run("PRAGMA max_page_count = 1")
          return this.run(sql)
        })
        const error = yield* refusal(directory)
        expect(error.message).toBe(`${databaseIn(directory)}: there is no space left for it`)
      })
    ))

  test("of another key is refused, and what to do is said", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory, vaultOf(1)))
        const error = yield* refusal(directory, vaultOf(2))
        expect(error.message).toMatch(/tapedeck\.db: its secrets are sealed with another key .*give the key/)
        yield* openStore(directory, vaultOf(1))
      })
    ))
})
