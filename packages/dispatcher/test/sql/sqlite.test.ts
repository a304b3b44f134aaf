import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import { layerNodeSqlite } from "../../src/sql/index.ts"
import { sqlQueueSuite } from "./sqlQueueSuite.ts"

const place = () => mkdtempSync(join(tmpdir(), "tapedeck-queue-"))

describe("a queue in a table of SQLite", () => {
  sqlQueueSuite(async () => {
    const folder = place()
    return {
      client: () => layerNodeSqlite(join(folder, "own.sqlite")),
      close: async () => rmSync(folder, { recursive: true })
    }
  })
})

describe("the client of node:sqlite", () => {
  it("runs transactions one after another, and undoes one that fails", async () => {
    const runtime = ManagedRuntime.make(layerNodeSqlite(":memory:"))
    const rows = await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE numbers (n INTEGER NOT NULL)`
        const insert = (n: number, fails = false) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO numbers ${sql.insert({ n })}`
              yield* Effect.yieldNow
              if (fails) return yield* Effect.fail("undone")
              return yield* sql`INSERT INTO numbers ${sql.insert({ n: n + 10 })}`
            })
          )
        yield* Effect.all([insert(1), Effect.exit(insert(2, true)), insert(3)], { concurrency: "unbounded" })
        return yield* sql<{ readonly n: number }>`SELECT n FROM numbers`
      })
    )
    expect(rows.map(({ n }) => n)).toEqual([1, 11, 3, 13])
    await runtime.dispose()
  })

  it("goes on after a transaction that was interrupted", async () => {
    const runtime = ManagedRuntime.make(layerNodeSqlite(":memory:"))
    const rows = await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE numbers (n INTEGER NOT NULL)`
        const insert = sql`INSERT INTO numbers ${sql.insert({ n: 1 })}`
        const stays = sql.withTransaction(Effect.andThen(insert, Effect.never))
        const open = yield* Effect.forkChild(stays, { startImmediately: true })
        const next = yield* Effect.forkChild(sql`INSERT INTO numbers ${sql.insert({ n: 2 })}`)
        yield* Fiber.interrupt(open)
        yield* Fiber.join(next)
        return yield* sql<{ readonly n: number }>`SELECT n FROM numbers`
      })
    )
    expect(rows.map(({ n }) => n)).toEqual([2])
    await runtime.dispose()
  })

  it("names the file in its errors", async () => {
    const exit = await Effect.runPromise(
      Effect.exit(Effect.scoped(Layer.build(layerNodeSqlite("/proc/no-such-folder/a.sqlite"))))
    )
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("/proc/no-such-folder/a.sqlite: unable to open")
  })
})
