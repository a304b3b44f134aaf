import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { migrateDatabase } from "@tapedeck/storage/postgres"
import { addingVersion, removingVersion, upgradePostgres } from "@tapedeck/storage/testing/nextVersion"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { judge } from "../../src/cluster/judge.ts"
import { Witness } from "../../src/cluster/Witness.ts"
import { Events } from "../../src/crash/Events.ts"
import { Life } from "../../src/crash/Life.ts"
import { admin, fixturesFor } from "../../src/crash/load.ts"
import { Receiver } from "../../src/crash/Receiver.ts"
import { startPostgres, type TestDatabase, type TestDatabases } from "../../src/postgres/index.ts"
import { cert } from "../../src/support/certificate.ts"
import { call } from "../../src/support/http.ts"
import { type Folder, temporaryFolder } from "../../src/support/process.ts"
import { tapedeck } from "../../src/support/tapedeck.ts"

const shiftedClock = fileURLToPath(new URL("../../src/cluster/shiftedClock.ts", import.meta.url))
const key = randomBytes(32).toString("base64")
const hourMs = 3_600_000

let postgres: TestDatabases
let database: TestDatabase
let folder: Folder
let receiver: Receiver
let events: Events
let caFile: string
let fixtures: string
const lives: Array<Life> = []

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

beforeEach(async () => {
  database = await postgres.createDatabase()
  folder = await temporaryFolder()
  events = new Events()
  receiver = new Receiver(events)
  caFile = await folder.write("ca.pem", cert)
  fixtures = await folder.write("fixtures.json", JSON.stringify(fixturesFor(await receiver.listen())))
})

afterEach(async () => {
  for (const life of lives) life.kill("SIGKILL")
  await Promise.all(lives.splice(0).map(({ ended }) => ended))
  await receiver.close()
  await folder.remove()
})

const upgrade = (next: typeof addingVersion) => Effect.runPromise(upgradePostgres(database.url, next))

/** A node, whose machine's clock is so far ahead. */
const start = (aheadMs = 0): Life => {
  const clock = { TAPEDECK_TEST_CLOCK: String(aheadMs) }
  const life = new Life({
    data: join(folder.path, "data"),
    environment: { TAPEDECK_KEY: key, TAPEDECK_DATABASE_URL: database.url, ...clock },
    imports: aheadMs === 0 ? [] : [shiftedClock],
    more: ["--fixtures", fixtures, "--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
  })
  lives.push(life)
  return life
}

/** Makes a recording on a node and puts it into a folder, which makes a delivery; until that has been received. */
const deliver = async (life: Life): Promise<void> => {
  const { base_url: baseUrl, tokens } = await life.listening
  const token = tokens[admin]!
  const made = await call(baseUrl, "/api/settings/recordings", { method: "POST", json: { title: "One" }, token })
  const recording = made.as<{ uuid: string }>()
  const received = events.after(1, () => {})
  const path = `/api/settings/recordings/${recording.uuid}/folder`
  const moved = await call(baseUrl, path, { method: "PUT", json: { folder_id: "f1" }, token })
  expect([made.status, moved.status]).toEqual([201, 200])
  await received
}

test("nodes that start at the same moment on an empty database all serve: one migrates, one loads the start data", async () => {
  const nodes = [start(), start(), start()]
  for (const node of nodes) await deliver(node)
  const versions = await database.query("SELECT count(*)::int AS made, max(version)::int AS version FROM migrations")
  expect(versions[0]!.made).toBe(versions[0]!.version)
  expect(await database.query("SELECT count(*)::int AS accounts FROM accounts")).toEqual([{ accounts: 1 }])
})

test("a node keeps running and restarts while the next version's migration only adds to the database; other migrations are refused", async () => {
  const node = start()
  await deliver(node)
  await upgrade(addingVersion)
  await deliver(node)
  await deliver(start())
  const { version } = addingVersion
  await database.query("UPDATE meta SET value = $1 WHERE name = 'works_from'", [
    JSON.stringify({ version, worksFrom: version })
  ])
  const refused = start()
  expect(await refused.ended).toBe(5)
  expect(refused.errors).toContain(`The database is of version ${version}, which a newer Tapedeck made`)
  await deliver(node)
})

test("during an upgrade, doctor of the version before reports the version, and its audit verify refuses the database", async () => {
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(database.url) }))
  await upgrade(addingVersion)
  const environment = {
    TAPEDECK_KEY: key,
    TAPEDECK_DATABASE_URL: database.url,
    TAPEDECK_DATA: join(folder.path, "data")
  }
  const { version } = addingVersion
  const newer = `fault  version    ${version}, made by a newer Tapedeck; this one supports versions up to ${version - 1}`
  const doctor = await tapedeck(environment, "doctor")
  expect([doctor.code, doctor.out, doctor.err]).toEqual([8, expect.stringContaining(newer), ""])
  expect(doctor.out).not.toMatch(/^\w+ +files/m)
  const verify = await tapedeck(environment, "audit", "verify")
  const refused = `it is of version ${version}, and this Tapedeck reads version ${version - 1}`
  expect([verify.code, verify.out, verify.err]).toEqual([5, "", expect.stringContaining(refused)])
})

test("a migration that would stop running nodes is refused", async () => {
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(database.url) }))
  const { version } = removingVersion
  const node = new Client({ connectionString: database.url, application_name: `tapedeck/${version - 1}` })
  await node.connect()
  await expect(upgrade(removingVersion)).rejects.toThrow(
    `nodes of another version use it, and cannot work with version ${version}: stop them first`
  )
  await node.end()
  await upgrade(removingVersion)
})

test("nodes whose clocks differ by an hour use the database's time, so that no delivery is due early or late", async () => {
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(database.url) }))
  const witness = new Witness(database)
  await witness.install()
  const before = await witness.now()
  const nodes = [start(hourMs), start(-hourMs)]
  for (const node of [...nodes, ...nodes, ...nodes]) await deliver(node)
  const [made] = await database.query(
    "SELECT min(created_at)::float8 AS first, max(created_at)::float8 AS last FROM recordings"
  )
  expect(made?.first).toBeGreaterThanOrEqual(before - 1_000)
  expect(made?.last).toBeLessThanOrEqual((await witness.now()) + 1_000)
  const callerOf = () => ({ node: "either", life: 1 })
  const changes = Map.groupBy(await witness.changes(), ({ id }) => id)
  expect(changes.size).toBe(6)
  for (const its of changes.values()) expect(judge(its, { callerOf, failures: [] }).faults).toEqual([])
  // Retries too wait as long as they should, by the database.
  const [due] = await database.query(
    "SELECT coalesce(max(due_at), 0)::float8 AS at FROM delivery_queue WHERE due_kind = 'attempt'"
  )
  expect(due?.at).toBeLessThanOrEqual((await witness.now()) + 61_000)
})
