import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Cost, type Meter, makePostgresMeter, onSqlite } from "./meters.ts"
import { bulkOperations } from "./operations.ts"

/** Rows, few so that the test is short; `TAPEDECK_BULK_ROWS=1000,30000` has more. */
const [few, many] = (process.env.TAPEDECK_BULK_ROWS ?? "400,2400").split(",").map(Number) as [number, number]

/** Maximum statements of a transaction that is one of many; on SQLite with the rows that they return or change. */
const maxTransaction = 1_500

let postgres: Awaited<ReturnType<typeof makePostgresMeter>>
beforeAll(async () => {
  postgres = await makePostgresMeter()
})
afterAll(() => postgres.close())

const meters: ReadonlyArray<readonly [string, Meter]> = [
  ["SQLite", onSqlite],
  ["PostgreSQL", (...parameters) => postgres.onPostgres(...parameters)]
]

describe.each(meters)("on %s", (_, meter) => {
  test.each(bulkOperations)("$name costs the same for each row, however many rows there are", async (operation) => {
    const small: Cost = await meter(operation, few)
    const large: Cost = await meter(operation, many)
    const [each, eachMore] = [small.work / few, (large.work - small.work) / (many - few)]
    console.log(
      operation.name,
      each.toFixed(1),
      eachMore.toFixed(1),
      small.largestTransaction,
      large.largestTransaction
    )
    expect(each).toBeGreaterThan(0.01)
    expect(eachMore / each, `${each} for each of ${few} rows, ${eachMore} for each more`).toBeLessThan(1.5)
    if (operation.oneTransactionBecause === undefined) {
      expect(large.largestTransaction).toBeLessThanOrEqual(maxTransaction)
    }
  })
})
