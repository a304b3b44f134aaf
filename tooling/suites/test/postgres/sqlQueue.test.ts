import { PgClient } from "@effect/sql-pg"
import { sqlQueueSuite } from "@tapedeck/dispatcher/testing/sqlQueue"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

describe("a queue in a table of PostgreSQL", () => {
  sqlQueueSuite(async () => {
    const database = await postgres.createDatabase()
    return {
      client: () => PgClient.layer({ url: Redacted.make(database.url), maxConnections: 4 }),
      close: database.drop
    }
  })
})
