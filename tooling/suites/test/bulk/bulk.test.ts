import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Cost, type Meter, makePostgresMeters, onSqlite } from "./meters.ts"
import { bulkOperations, recordingsOf } from "./operations.ts"

/** Rows, few so that the test is short; `TAPEDECK_BULK_ROWS=1000,30000` has more. */
const [few, many] = (process.env.TAPEDECK_BULK_ROWS ?? "200,1200").split(",").map(Number) as [number, number]

/** Maximum statements of a transaction that is one of many; on SQLite with the rows that they return or change. */
const maxTransaction = 1_500

let postgres: Awaited<ReturnType<typeof makePostgresMeters>>
beforeAll(async () => {
  postgres = await makePostgresMeters()
})
afterAll(() => postgres.close())

const meters: ReadonlyArray<readonly [string, Meter]> = [
  ["SQLite", onSqlite],
  ["PostgreSQL", (...parameters) => postgres.onPostgres(...parameters)]
]

/** A row costs at most half as much again among many rows. */
const expectSameCost = (small: Cost, large: Cost) => {
  const [each, eachMore] = [small.work / few, (large.work - small.work) / (many - few)]
  expect(each).toBeGreaterThan(0.01)
  expect(eachMore / each, `${each} for each of ${few} rows, ${eachMore} for each more`).toBeLessThan(1.5)
}

describe.each(meters)("on %s", (_, meter) => {
  test.each(bulkOperations)("$name costs the same for each row, however many rows there are", async (operation) => {
    const small = await meter(operation, few)
    const large = await meter(operation, many)
    expectSameCost(small, large)
    if (operation.oneTransactionBecause === undefined) {
      expect(large.largestTransaction).toBeLessThanOrEqual(maxTransaction)
    }
  })
})

test("a move from SQLite to PostgreSQL costs the same for each row, however many rows there are", async () => {
  const move = (rows: number) => postgres.ofMove((store) => store.recordings.add(recordingsOf(rows)))
  expectSameCost(await move(few), await move(many))
})
