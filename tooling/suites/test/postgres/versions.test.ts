import { migrateDatabase, postgresVersion } from "@tapedeck/storage/postgres"
import { addingVersion, migrationsWith, removingVersion, upgradePostgres } from "@tapedeck/storage/testing/nextVersion"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { tapedeck } from "../../src/support/tapedeck.ts"

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const current = addingVersion.version - 1

const migrated = async () => {
  const database = await postgres.createDatabase()
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(database.url) }))
  return database
}

test("before an upgrade of PostgreSQL, the new version says whether all nodes have to be stopped", async () => {
  const { url } = await migrated()
  const looked = (next: typeof addingVersion) =>
    Effect.runPromise(postgresVersion(Redacted.make(url), migrationsWith(next)))
  expect(await looked(addingVersion)).toMatchObject({ version: current, newest: current + 1, needsFullStop: false })
  expect(await looked(removingVersion)).toMatchObject({ version: current, newest: current + 1, needsFullStop: true })
})

test("migrate --check on PostgreSQL changes nothing, and says whether this version works on a newer database", async () => {
  const check = (url: string) => tapedeck({ TAPEDECK_DATABASE_URL: url }, "migrate", "--check")
  const same = await migrated()
  expect(await check(same.url)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/: version \d+, current\n$/),
    err: ""
  })
  const [adding, removing] = [await migrated(), await migrated()]
  await Effect.runPromise(upgradePostgres(adding.url, addingVersion))
  await Effect.runPromise(upgradePostgres(removing.url, removingVersion))
  expect(await check(adding.url)).toMatchObject({ code: 5, out: expect.stringContaining("still work") })
  expect(await check(removing.url)).toMatchObject({ code: 5, out: expect.stringContaining("supports versions up to") })
  const { url } = await postgres.createDatabase()
  expect(await check(url)).toMatchObject({
    code: 5,
    out: "",
    err: expect.stringContaining("not a database of Tapedeck")
  })
})
