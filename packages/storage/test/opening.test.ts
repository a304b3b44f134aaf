import { spawn } from "node:child_process"
import { chmodSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, test, vi } from "vitest"
import { SqliteConnection } from "../src/sqlite/client.ts"
import { openDatabase } from "../src/sqlite/open.ts"
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
  test("has one owner at a time: a second process is refused by the name of the directory", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* openStore(directory)
        const error = yield* refusal(directory)
        expect(error._tag).toBe("DirectoryInUse")
        expect(error.message).toContain(`${directory}: another Tapedeck server`)
      })
    ))

  test("can be opened after its owner has closed it", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const first = yield* Scope.make()
        const store = yield* Scope.provide(openStore(directory), first)
        yield* store.folders.save(aFolder("kept"))
        yield* Scope.close(first, Exit.void)
        expect(yield* (yield* openStore(directory)).folders.list(acme.id)).toEqual([aFolder("kept")])
      })
    ))

  test("can be opened after its owner was killed", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const owner = yield* otherOwner(directory)
        expect((yield* refusal(directory))._tag).toBe("DirectoryInUse")
        yield* kill(owner)
        yield* openStore(directory)
      })
    ))

  test("is refused by its name if this user may not write to it", () =>
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

  test("is refused by its name if it does not exist", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const file = join(directory, "missing", "tapedeck.db")
        const error = yield* Effect.flip(Effect.scoped(openDatabase(file)))
        expect(error.message).toBe(`${file}: its directory does not exist`)
      })
    ))
})

describe("a database's file", () => {
  test("has permissions for its owner only, as have SQLite's files beside it", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* openStore(directory)
        for (const ending of ["", "-wal", "-shm"]) {
          expect(statSync(`${databaseIn(directory)}${ending}`).mode & 0o777).toBe(0o600)
        }
      })
    ))

  test("is refused and not changed if it is not a database", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const text = "not a database, but a file that a user may want to keep ".repeat(20)
        writeFileSync(databaseIn(directory), text)
        expect((yield* refusal(directory)).message).toBe(`${databaseIn(directory)}: it is not a SQLite database`)
      })
    ))

  test("is refused with advice if a newer program has migrated it", () =>
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

  test("is refused if another build has made its tables", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory))
        const database = new DatabaseSync(databaseIn(directory))
        database.exec("UPDATE migrations SET checksum = 'another' WHERE version = 1")
        database.close()
        expect((yield* refusal(directory)).message).toContain("version 1 was made by another build of Tapedeck")
      })
    ))

  test("is refused if the disk is full", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
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

  test("is refused with advice if it has another key", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* Effect.scoped(openStore(directory, vaultOf(1)))
        const error = yield* refusal(directory, vaultOf(2))
        expect(error.message).toMatch(/tapedeck\.db: its secrets are sealed with another key .*give the key/)
        yield* openStore(directory, vaultOf(1))
      })
    ))
})
