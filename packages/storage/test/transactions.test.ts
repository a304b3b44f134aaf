import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { PgPool } from "@effect/sql-pg"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { Transactions } from "../src/postgres/transactions.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as (options: { readonly type: "minor" | "major" }) => void

/** One that is asked for nothing but to begin and to commit. */
const connection = { query: () => Effect.succeed({ command: "COMMIT", rows: [] }) }
const pool = { reserve: Effect.succeed(connection) } as unknown as PgPool.PgPool

/** So many numbers are what a transaction is about. */
const size = 50_000

/** The heap after so many transactions, each about a list of its own, where V8 collects only what is young. */
const heapAfter = async (turns: number, run: (numbers: ReadonlyArray<number>) => Promise<unknown>) => {
  for (let turn = 0; turn < turns; turn++) {
    await run(Array.from({ length: size }, (_, index) => index + turn))
    // What is alive at the second one is taken for old, and stays until everything is collected.
    collect({ type: "minor" })
    collect({ type: "minor" })
  }
  return process.memoryUsage().heapUsed
}

test.each(["serializable", "readCommitted", "autocommit"] as const)(
  "%s transactions keep no memory after their end, with minor garbage collections alone",
  async (kind) => {
    const transactions = new Transactions({ pool, name: "database", deadlineMs: 10_000 })
    const run = (numbers: ReadonlyArray<number>) => {
      const body = Effect.map(Effect.yieldNow, () => numbers.length)
      return Effect.runPromise(transactions[kind](() => body))
    }
    await heapAfter(20, run)
    collect({ type: "major" })
    const before = process.memoryUsage().heapUsed
    const after = await heapAfter(50, run)
    // A few, and not all fifty.
    expect((after - before) / (8 * size)).toBeLessThan(10)
  }
)
