import { statSync } from "node:fs"
import { join } from "node:path"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, test } from "vitest"
import type { Database } from "../src/sql/database/Database.ts"
import { makeSqliteDatabase } from "../src/sqlite/client.ts"
import { sqlErrorOf } from "../src/sqlite/errors.ts"
import { GroupCommit } from "../src/sqlite/GroupCommit.ts"
import { temporaryDirectory } from "./openStore.ts"

/** A database of one table, and how many bytes its log has: each commit adds a page to it for each that it changed. */
const onDatabase = <A, E>(body: (database: Database, logBytes: () => number) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryDirectory, "test.db")
    const { database } = yield* makeSqliteDatabase(file)
    yield* database.write(database.sql`
      CREATE TABLE things (name TEXT PRIMARY KEY, other TEXT REFERENCES things (name) DEFERRABLE INITIALLY DEFERRED)`)
    return yield* body(database, () => statSync(`${file}-wal`).size)
  }).pipe(Effect.scoped, Effect.runPromise)

const add = ({ sql, write }: Database, name: string) => write(sql`INSERT INTO things (name) VALUES (${name})`)

const names = ({ query, read }: Database) =>
  Effect.map(read(query<[string]>("SELECT name FROM things ORDER BY name")), (rows) => rows.map(([name]) => name))

const eachOf = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) => Effect.all(effects, { concurrency: "unbounded" })

describe("transactions in a group commit", () => {
  test("share commits: there are far fewer commits than transactions", () =>
    onDatabase((database, logBytes) =>
      Effect.gen(function* () {
        const grownBy = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
          const before = logBytes()
          yield* effect
          return logBytes() - before
        })
        const all = (kind: string) => Array.from({ length: 100 }, (_, index) => add(database, `${kind} ${index}`))
        const together = yield* grownBy(eachOf(all("together")))
        const apart = yield* grownBy(Effect.all(all("apart")))
        expect(yield* names(database)).toHaveLength(200)
        expect(together).toBeLessThan(apart / 10)
      })
    ))

  test("return after the commit, when other readers see their writes", () =>
    onDatabase((database) =>
      eachOf(
        ["a", "b", "c", "d"].map((name) =>
          Effect.gen(function* () {
            yield* add(database, name)
            expect(yield* names(database)).toContain(name)
          })
        )
      )
    ))

  test("run one after another, and see the writes of those before", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const countAndAdd = database.transaction(
          Effect.gen(function* () {
            const { length } = yield* names(database)
            yield* Effect.yieldNow
            yield* add(database, `${length}`)
          })
        )
        yield* eachOf(Array.from({ length: 10 }, () => countAndAdd))
        expect(yield* names(database)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
      })
    ))

  test("are rolled back alone if one of them fails, dies or is interrupted", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const endings: ReadonlyArray<Effect.Effect<unknown, string>> = [
          Effect.void,
          Effect.fail("no"),
          Effect.void,
          Effect.die("a defect"),
          Effect.interrupt,
          Effect.void
        ]
        const exits = yield* eachOf(
          endings.map((ending, index) =>
            Effect.exit(database.transaction(Effect.andThen(add(database, `${index}`), ending)))
          )
        )
        expect(exits.map((exit) => Exit.isSuccess(exit))).toEqual([true, false, true, false, false, true])
        expect(exits[1]).toEqual(Exit.fail("no"))
        expect(yield* names(database)).toEqual(["0", "2", "5"])
      })
    ))

  test("continue if one that waits is interrupted", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = database.transaction(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
        const first = yield* Effect.forkChild(slow)
        yield* Deferred.await(begun)
        const start = { startImmediately: true } as const
        const waiting = yield* Effect.forkChild(add(database, "interrupted"), start)
        const last = yield* Effect.forkChild(add(database, "last"), start)
        yield* Fiber.interrupt(waiting)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(last)
        expect(yield* names(database)).toEqual(["last"])
      })
    ))

  test("call each commit callback once, and none of a body that failed", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const note = () => void seen.push("woken")
        const wake = database.afterCommit(note)
        yield* database.transaction(Effect.andThen(wake, wake))
        yield* Effect.exit(database.transaction(Effect.andThen(wake, Effect.fail("no"))))
        expect(seen).toEqual(["woken"])
      })
    ))
})

describe("a fiber that outlives its transaction's body", () => {
  test("reads what is committed, and writes in a transaction of its own", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const over = yield* Deferred.make<void>()
        const left = yield* database.transaction(
          Effect.forkDetach(Effect.andThen(Deferred.await(over), add(database, "late")), { startImmediately: true })
        )
        yield* Effect.exit(
          database.transaction(
            Effect.gen(function* () {
              yield* add(database, "taken back")
              yield* Deferred.succeed(over, undefined)
              yield* Effect.yieldNow
              return yield* Effect.fail("no")
            })
          )
        )
        yield* Fiber.join(left)
        expect(yield* names(database)).toEqual(["late"])
      })
    ))
})

describe("a commit that fails", () => {
  test("fails and rolls back all transactions that share it, and none after them", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const { sql, write } = database
        // Found out at the commit, since the reference is deferred.
        const broken = write(sql`INSERT INTO things (name, other) VALUES ('broken', 'not there')`)
        const exits = yield* eachOf(
          [add(database, "a"), add(database, "b"), broken, add(database, "c")].map(Effect.exit)
        )
        expect(exits.map((exit) => Exit.isSuccess(exit))).toEqual([false, false, false, false])
        for (const exit of exits) {
          expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
            message: expect.stringMatching(/test\.db: FOREIGN KEY constraint failed/)
          })
        }
        yield* add(database, "after")
        expect(yield* names(database)).toEqual(["after"])
      })
    ))
})

describe("a failing disk", () => {
  /** Refuses these statements until it is mended. */
  const brokenWriter = (refused: ReadonlyArray<string>) => {
    let written = 0
    const writer = {
      file: "broken.db",
      isInTransaction: false,
      isMended: false,
      /** How many bodies were committed. */
      kept: 0,
      run: (sql: string) => {
        if (!writer.isMended && refused.includes(sql)) throw sqlErrorOf(new Error(`no ${sql}`), writer.file)
        if (sql === "BEGIN IMMEDIATE" && writer.isInTransaction) throw sqlErrorOf(new Error("in one"), writer.file)
        if (sql === "BEGIN IMMEDIATE") writer.isInTransaction = true
        if (sql === "COMMIT" || sql === "ROLLBACK") writer.isInTransaction = false
        if (sql === "RELEASE member") written++
        if (sql === "COMMIT") writer.kept += written
        if (!writer.isInTransaction) written = 0
      }
    }
    return writer
  }

  for (const refused of [["BEGIN IMMEDIATE"], ["COMMIT"], ["COMMIT", "ROLLBACK"], ["SAVEPOINT member"]]) {
    test(`that refuses ${refused.join(" and ")} fails all waiting transactions, blocks none, and is used again when it works`, () =>
      Effect.gen(function* () {
        const writer = brokenWriter(refused)
        const commits = new GroupCommit(writer)
        const one = commits.run(() => Effect.void)
        const exits = yield* eachOf([1, 2, 3].map(() => Effect.exit(one)))
        expect(exits.map((exit) => Exit.isFailure(exit))).toEqual([true, true, true])
        expect(writer.kept).toBe(0)
        writer.isMended = true
        yield* one
        expect([writer.kept, writer.isInTransaction]).toEqual([1, false])
      }).pipe(Effect.runPromise))
  }
})

describe("a full disk", () => {
  const fill = (database: Database, name: string) => add(database, name.padEnd(20_000, "."))

  test("fails the write with the file's name, keeps earlier data, and works again when there is space", () =>
    onDatabase((database) =>
      Effect.gen(function* () {
        const { sql, write } = database
        yield* add(database, "before")
        const [row] = yield* database.read(database.query<[number]>("PRAGMA page_count"))
        yield* write(sql.unsafe(`PRAGMA max_page_count = ${row![0]}`))
        const exits = yield* eachOf(["x", "y", "z"].map((name) => Effect.exit(fill(database, name))))
        for (const exit of exits) {
          const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          expect(defect).toMatchObject({ _tag: "StorageFull", path: expect.stringMatching(/test\.db$/) })
        }
        expect(yield* names(database)).toEqual(["before"])
        yield* write(sql.unsafe("PRAGMA max_page_count = 100000"))
        yield* fill(database, "after")
        expect(yield* names(database)).toHaveLength(2)
      })
    ))
})
