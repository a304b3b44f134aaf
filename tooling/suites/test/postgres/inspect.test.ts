import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, storeOf, Vault } from "@tapedeck/core"
import { folderSchedule } from "@tapedeck/domain/delivery"
import { FileBytes } from "@tapedeck/storage/files"
import { inspectPostgres, inspectPostgresDeliveries, layerPostgres, migrateDatabase } from "@tapedeck/storage/postgres"
import { aFolder, anAccount, anAuditEntry, aRecording, aToken, aUser } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestDatabase, type TestDatabases } from "../../src/postgres/index.ts"

/** What `tapedeck doctor` finds is tried case by case on SQLite (apps/server/test/doctor/doctor.test.ts); here, that PostgreSQL is read alike. */

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const urlOf = ({ url }: TestDatabase) => Redacted.make(url)
const inspect = (database: TestDatabase) => Effect.runPromise(inspectPostgres(urlOf(database)))
const inspectDeliveries = (database: TestDatabase) => Effect.runPromise(inspectPostgresDeliveries(urlOf(database)))

const at = 1_000_000

/** A delivery in each state, as servers leave it. */
const states = {
  scheduled: { queued: [0, { _tag: "Scheduled", dueAt: at }, null, 0], attempts: [] },
  waiting: {
    queued: [1, { _tag: "Waiting", retry: 2, dueAt: at, firstAttemptAt: 1 }, null, 0],
    attempts: [
      [1, "failure"],
      [2, "timeout"]
    ]
  },
  attempting: {
    queued: [1, { _tag: "Waiting", retry: 2, dueAt: 2, firstAttemptAt: 1 }, 3, 9],
    attempts: [[1, "failure"]]
  },
  delivered: {
    queued: null,
    attempts: [
      [1, "dns"],
      [2, "success"]
    ]
  }
} as const

const fixedPart = (id: string) => ({
  id,
  accountId: 1,
  automationId: "r",
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  createdAt: 1,
  schedule: folderSchedule
})

const insertDeliveries = async ({ query }: TestDatabase) => {
  for (const [index, [id, { attempts, queued }]] of Object.entries(states).entries()) {
    const sequence = index + 1
    await query("INSERT INTO deliveries (sequence, id, account_id) VALUES ($1, $2, 1)", [sequence, id])
    if (queued !== null) {
      const [retry, state, claimedAt, leasedUntil] = queued
      await query(
        `INSERT INTO delivery_queue
        (sequence, account_id, receiver, fence, retry, state, claimed_at, attempts, due_kind, leased_until, due_at, due_order)
        VALUES ($1, 1, 'r', 3, $2, $3, $4, $5, 'attempt', $6, $7, $1)`,
        [sequence, retry, JSON.stringify(state), claimedAt, attempts.length, leasedUntil, at]
      )
    }
    const fixed = JSON.stringify(fixedPart(id))
    await query("INSERT INTO delivery_documents VALUES ($1, $2, '{}')", [sequence, fixed])
    for (const [place, [attempt, outcome]] of attempts.entries()) {
      const document = JSON.stringify({ attempt, outcome })
      const deliveredAt = outcome === "success" ? at : null
      await query("INSERT INTO delivery_attempts VALUES ($1, $2, $3, $4)", [sequence, place, document, deliveredAt])
    }
  }
}

test("doctor checks the state of deliveries, and reports faults as on SQLite", async () => {
  const database = await postgres.createDatabase()
  await Effect.runPromise(migrateDatabase({ url: urlOf(database) }))
  await insertDeliveries(database)
  expect(await inspectDeliveries(database)).toEqual({ count: 4, faults: [] })
  const { deliveries, faults } = await inspect(database)
  expect({ deliveries, faults: Object.values(faults).flat() }).toEqual({ deliveries: 4, faults: [] })

  for (const change of [
    "DELETE FROM delivery_queue WHERE sequence = 1",
    'UPDATE delivery_attempts SET document = \'{"attempt":1,"outcome":"failure"}\' WHERE sequence = 2',
    "DELETE FROM delivery_documents WHERE sequence = 3",
    "DELETE FROM deliveries WHERE id = 'delivered'"
  ]) {
    await database.query(change)
  }
  expect((await inspectDeliveries(database)).faults).toEqual([
    "the body of delivery delivered exists without the delivery",
    "attempt 0 has no delivery (number 4)",
    "attempt 1 has no delivery (number 4)",
    "delivery scheduled: it has not ended, and is not in the queue",
    "delivery waiting: attempt 1 comes after attempt 1",
    "delivery attempting: its body is missing"
  ])
})

test("doctor checks the relations between tables, and reports faults as on SQLite", async () => {
  const database = await postgres.createDatabase()
  const place = mkdtempSync(join(tmpdir(), "tapedeck-inspect-"))
  const files = FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })
  const key = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
  const store = layerPostgres({ url: urlOf(database) }).pipe(Layer.provide([key, Ids.layerRandom, files]))
  const fill = Effect.gen(function* () {
    const { accounts, auditEntries, folders, recordings, tokens, users } = yield* storeOf(
      "accounts",
      "auditEntries",
      "folders",
      "recordings",
      "tokens",
      "users"
    )
    yield* accounts.save(anAccount(1))
    yield* users.save(aUser(1))
    yield* tokens.save(aToken("t1", 1))
    yield* folders.save(aFolder("f1"))
    yield* recordings.save(aRecording(1, { ownerId: aUser(1).id, folderId: aFolder("f1").id }))
    yield* auditEntries.append(anAuditEntry(1))
  })
  await Effect.runPromise(Effect.provide(fill, store))
  rmSync(place, { recursive: true })
  const { contents, faults, latestInstant, newestVersion, version } = await inspect(database)
  expect(Object.keys(faults)).toEqual(["lists", "audit entries", "file rows", "accounts", "deliveries"])
  expect(Object.values(faults).flat()).toEqual([])
  expect(version).toBe(newestVersion)
  expect(latestInstant).toBeGreaterThan(0)
  expect(contents).toEqual([])

  for (const change of [
    "UPDATE recording_lists SET count = 5 WHERE key LIKE 'account:%'",
    "DELETE FROM recording_lists WHERE key LIKE 'folder:%'",
    "UPDATE audit_entry_counts SET entries = entries + 1",
    "INSERT INTO file_contents VALUES ('abc', 'abc-1', 3, 1)",
    "INSERT INTO content_removals VALUES ('abc-1', 0)",
    `UPDATE recordings SET document = (document::jsonb || '{"video":{"original":{"fileId":"gone"},"parts":[{"fileId":"lost"}]}}')::text`,
    `INSERT INTO capture_pieces VALUES ('c1', 1, 'video', 'u1', '{"fileId":"missing"}')`,
    "INSERT INTO upload_pieces VALUES ('u1', 0, 'absent', 9)",
    "INSERT INTO tokens VALUES ('t2', 99, 'n', 'access', 'h', 's', 1, NULL, NULL)",
    "INSERT INTO users SELECT 98, 97, 'x', 0, 1, document, 1 FROM users"
  ]) {
    await database.query(change)
  }
  const found = await inspect(database)
  expect(Object.values(found.faults).flat().toSorted()).toEqual([
    expect.stringMatching(/^account 1: 1 entries of .*, the count is 2$/),
    "capture c1: its file missing does not exist",
    "content abc-1: files have it, but it is to be removed",
    "content abc: 0 files have it, the count is 1",
    "list account:1: 1 recordings, its count is 5",
    "list account:1: its blocks have 1 recordings, its count is 5",
    expect.stringMatching(/^list folder:1:f1: 1 recordings, its count is 0$/),
    expect.stringMatching(/^recording .*: its file gone does not exist$/),
    expect.stringMatching(/^recording .*: its file lost does not exist$/),
    "token t2: user 99 does not exist",
    "upload u1: its file absent does not exist",
    "user 98: account 97 does not exist"
  ])
  await database.query("INSERT INTO migrations VALUES (99, 'later', 'x')")
  expect(await inspect(database)).toMatchObject({ version: 99, faults: {}, deliveries: 0 })
})

test("a database that cannot be read is refused by name, without its password", async () => {
  const database = await postgres.createDatabase()
  const refusal = (url: string) => Effect.runPromise(Effect.flip(inspectPostgres(Redacted.make(url))))
  expect((await refusal(database.url)).message).toMatch(/: it is not a database of Tapedeck$/)
  const missing = new URL(database.url)
  missing.pathname = "/nowhere"
  const { message } = await refusal(missing.href)
  expect(message).toMatch(/there is no such database$/)
  expect(message).not.toContain(missing.password)
})
