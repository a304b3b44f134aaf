import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Vault } from "@tapedeck/core"
import { folderSchedule } from "@tapedeck/domain/delivery"
import { inspectDatabase, inspectDeliveries, isKeyOf } from "@tapedeck/storage/sqlite"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { generateKey } from "../../src/config/key/keyText.ts"
import { listening, run, temporaryFolder } from "../support/command.ts"

const uuid = "00000000-0000-4000-8000-000000000001"

interface Found {
  readonly ok: boolean
  readonly findings: ReadonlyArray<{ readonly level: string; readonly check: string; readonly text: string }>
}

/** A data directory that a server has run on: a user, a folder, a recording in it with a video. */
const usedData = async () => {
  const folder = temporaryFolder()
  const data = join(folder, "data")
  const fixtures = join(folder, "fixtures.json")
  const recordings = [{ uuid, title: "One", user: "ada@acme.test", folder: "f1", video: { original: { size: 2000 } } }]
  const users = [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }]
  writeFileSync(fixtures, JSON.stringify({ users, folders: [{ id: "f1", name: "One" }], recordings }))
  const server = await listening(["--data", data, "--fixtures", fixtures])
  const headers = { authorization: "Bearer ada-token", "content-type": "video/webm" }
  const webm = Buffer.alloc(5_000, 3)
  webm.write("1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5", "hex")
  const path = `/api/settings/recordings/${uuid}/video`
  const stored = await fetch(`${server.view.base_url}${path}`, { method: "PUT", headers, body: new Uint8Array(webm) })
  expect(stored.status).toBe(200)
  return { data, server }
}

const change = (file: string, ...statements: ReadonlyArray<string>) => {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  for (const statement of statements) database.exec(statement)
  database.close()
}

const doctor = async (data: string, environment: NodeJS.ProcessEnv = {}, ...more: ReadonlyArray<string>) => {
  const { code, err, out } = await run(["doctor", "--json", "--data", data, ...more], environment)
  expect(err).toBe("")
  const { findings, ok } = JSON.parse(out) as Found
  const faults = findings.filter(({ level }) => level === "fault")
  expect(ok).toBe(faults.length === 0)
  expect(code).toBe(ok ? 0 : 8)
  return { findings, faults: faults.map(({ check, text }) => `${check}: ${text}`) }
}

describe("tapedeck doctor", () => {
  test("reports no fault for a sound data directory, with the server running or stopped", async () => {
    const { data, server } = await usedData()
    expect((await doctor(data, {}, "--deep")).faults).toEqual([])
    await server.stop()
    const { faults, findings } = await doctor(data)
    expect(faults).toEqual([])
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set([
        "directory",
        "key",
        "version",
        "database",
        "lists",
        "audit entries",
        "file rows",
        "accounts",
        "deliveries",
        "files",
        "space",
        "clock",
        "receivers"
      ])
    )
    const text = await run(["doctor", "--data", data])
    expect(text.out).toContain("ok     files          1 contents exist, with the right size\n")
  })

  test("reports faults of files, the key, permissions, the clock and receivers", async () => {
    const { data, server } = await usedData()
    await server.stop()
    const [stored] = inspectDatabase(join(data, "tapedeck.db"), { deep: true }).contents
    const key = stored?.key ?? ""
    const content = join(data, "files", key.slice(0, 2), key)
    copyFileSync(content, join(data, "kept"))

    writeFileSync(content, Buffer.alloc(5_000))
    expect((await doctor(data)).faults).toEqual([])
    expect((await doctor(data, {}, "--deep")).faults).toEqual([
      `files: ${content}: its bytes differ from the stored hash`
    ])
    writeFileSync(content, "short")
    expect((await doctor(data)).faults).toEqual([`files: ${content}: 5 bytes, not 5000`])
    rmSync(content)
    expect((await doctor(data)).faults).toEqual([`files: ${content}: missing`])
    copyFileSync(join(data, "kept"), content)

    mkdirSync(join(data, "files", "ff"), { recursive: true })
    writeFileSync(join(data, "files", "ff", `${"f".repeat(64)}-${"f".repeat(16)}`), "unknown")
    const other = await doctor(data, {
      TAPEDECK_KEY: Buffer.alloc(32, 7).toString("base64"),
      TAPEDECK_ALLOW_RECEIVERS: "0.0.0.0/0"
    })
    expect(other.faults).toEqual([
      "key: the key of the environment: the database was last used with another key",
      "receivers: TAPEDECK_ALLOW_RECEIVERS: 0.0.0.0/0 lets webhooks reach every network"
    ])
    chmodSync(data, 0o755)
    chmodSync(join(data, "key"), 0o644)
    change(join(data, "tapedeck.db"), "UPDATE tokens SET created_at = 9000000000000")
    const open = await doctor(data)
    expect(open.faults[0]).toMatch(/^directory: .*other users may read it \(0755\)/)
    expect(open.faults[1]).toMatch(/^key: .*other users may read it/)
    expect(open.faults[2]).toMatch(/^clock: .*2255-.* which is in the future/)
    expect(open.faults).toHaveLength(3)
  })

  test("says what removes content that is not in the database, and when; the next start removes it", async () => {
    const { data, server } = await usedData()
    await server.stop()
    const orphan = join(data, "files", "ff", `${"f".repeat(64)}-${"f".repeat(16)}`)
    mkdirSync(join(data, "files", "ff"), { recursive: true })
    writeFileSync(orphan, "unknown")
    const text =
      "1 contents are not in the database: the server removes them at its next start, or within a day while it runs"
    const { faults, findings } = await doctor(data)
    expect(faults).toEqual([])
    expect(findings).toContainEqual({ level: "note", check: "files", text })
    expect((await run(["doctor", "--data", data])).out).toContain(`note   files          ${text}\n`)

    const next = await listening(["--data", data])
    await expect.poll(() => existsSync(orphan)).toBe(false)
    await next.stop()
    expect((await doctor(data)).findings.filter(({ level }) => level === "note")).toEqual([])
  })

  test("reports violated relations between the database's tables", async () => {
    const { data, server } = await usedData()
    await server.stop()
    const file = join(data, "tapedeck.db")
    change(
      file,
      "UPDATE recording_lists SET count = 5 WHERE key LIKE 'account:%'",
      "UPDATE recording_blocks SET count = 7 WHERE list_id = (SELECT id FROM recording_lists WHERE key LIKE 'owner:%')",
      "DELETE FROM recording_lists WHERE key LIKE 'folder:%'",
      "UPDATE audit_entry_counts SET entries = entries + 1",
      "UPDATE file_contents SET refs = 3",
      "DELETE FROM tokens",
      "INSERT INTO tokens VALUES ('t1', 99, 'n', 'access', 'h', 's', 1, NULL, NULL)",
      "INSERT INTO users SELECT 98, 97, 'x', 0, 1, document, 1 FROM users"
    )
    const { faults } = await doctor(data)
    for (const part of [
      /^lists: list account:\d+: 1 recordings, its count is 5$/,
      /^lists: list account:\d+: its blocks have 1 recordings, its count is 5$/,
      /^lists: list owner:.*: its blocks have 7 recordings, its count is 1$/,
      /^lists: list folder:.*: 1 recordings, its count is 0$/,
      /^audit entries: account \d+: 1 entries of .*, the count is 2$/,
      /^file rows: content .*: 1 files have it, the count is 3$/,
      /^accounts: token t1: user 99 does not exist$/,
      /^accounts: user 98: account 97 does not exist$/
    ]) {
      expect(
        faults.filter((text) => part.test(text)),
        String(part)
      ).not.toEqual([])
    }
    change(
      file,
      `UPDATE recordings SET document = json_set(document, '$.video.parts', json('[{"fileId":"part1"},{"fileId":"part2"}]'),
        '$.video.trim', json('{"whole":{"thumbnail":{"fileId":"still"}}}'))`,
      `INSERT INTO capture_pieces VALUES ('c1', 1, 'video', 'u1', '{"fileId":"piece"}'), ('c1', 2, 'log', NULL, '{}')`,
      "INSERT INTO upload_pieces VALUES ('u1', 0, 'stretch', 9)",
      "DELETE FROM files"
    )
    const named = (await doctor(data)).faults.filter((text) => text.endsWith("does not exist"))
    expect(named.filter((text) => text.startsWith("file rows: "))).toEqual([
      expect.stringMatching(/^file rows: recording .*: its file [-0-9a-f]{36} does not exist$/),
      `file rows: recording ${uuid}: its file still does not exist`,
      `file rows: recording ${uuid}: its file part1 does not exist`,
      `file rows: recording ${uuid}: its file part2 does not exist`,
      "file rows: capture c1: its file piece does not exist",
      "file rows: upload u1: its file stretch does not exist"
    ])
    change(file, "INSERT INTO migrations VALUES (99, 'later', 'x')")
    expect((await doctor(data)).faults).toEqual([expect.stringMatching(/^version: 99, made by a newer Tapedeck/)])
  })
})

describe("The invariants of deliveries", () => {
  const folder = { path: "" }
  const at = 1_000_000

  const queued = (retry: number, state: object, claimedAt: number | null, leasedUntil: number) => ({
    queued: [retry, JSON.stringify(state), claimedAt, leasedUntil] as const
  })
  const ended = (as: string) => ({ ended: [as, at] as const })
  const delivered = { ended: [null, null] as const }

  const states = {
    scheduled: { row: queued(0, { _tag: "Scheduled", dueAt: at }, null, 0), attempts: [] },
    waiting: {
      row: queued(1, { _tag: "Waiting", retry: 2, dueAt: at, firstAttemptAt: 1 }, null, 0),
      attempts: [
        [1, "failure"],
        [2, "timeout"]
      ]
    },
    // Attempt 2 was lost with its worker, and attempt 3 is in flight.
    attempting: {
      row: queued(1, { _tag: "Waiting", retry: 2, dueAt: 2, firstAttemptAt: 1 }, 3, 9),
      attempts: [[1, "failure"]]
    },
    delivered: {
      row: delivered,
      attempts: [
        [1, "dns"],
        [2, "success"]
      ]
    },
    failed: {
      row: ended("PermanentlyFailed"),
      attempts: [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, "failure"] as const)
    },
    cancelled: { row: ended("Cancelled"), attempts: [] }
  }

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

  beforeAll(async () => {
    folder.path = mkdtempSync(join(tmpdir(), "tapedeck-doctor-"))
    const file = join(folder.path, "tapedeck.db")
    await Effect.runPromise(isKeyOf(file, Vault.make(generateKey())))
    const database = new DatabaseSync(file)
    const insert = database.prepare(
      "INSERT INTO deliveries (sequence, id, account_id, ended_as, ended_at) VALUES (?, ?, 1, ?, ?)"
    )
    const insertQueued = database.prepare(`
      INSERT INTO delivery_queue
        (sequence, account_id, receiver, fence, due_kind, retry, state, claimed_at, leased_until, attempts, due_at, due_order)
      VALUES (?, 1, 'r', 0, 'attempt', ?, ?, ?, ?, ?, ?, ?)`)
    for (const [index, [id, { attempts, row }]] of Object.entries(states).entries()) {
      const sequence = index + 1
      insert.run(sequence, id, ...("ended" in row ? row.ended : [null, null]))
      if ("queued" in row) insertQueued.run(sequence, ...row.queued, attempts.length, at, index)
      const fixed = JSON.stringify(fixedPart(id))
      database.prepare("INSERT INTO delivery_documents VALUES (?, ?, '{}')").run(index + 1, fixed)
      for (const [place, [attempt, outcome]] of attempts.entries()) {
        const text = JSON.stringify({ attempt, outcome })
        const deliveredAt = outcome === "success" ? at : null
        database.prepare("INSERT INTO delivery_attempts VALUES (?, ?, ?, ?)").run(index + 1, place, text, deliveredAt)
      }
    }
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
  })

  afterAll(() => rmSync(folder.path, { recursive: true }))

  test("hold for each state that the server leaves", async () => {
    expect(inspectDeliveries(join(folder.path, "tapedeck.db"))).toEqual({ count: 6, faults: [] })
    expect(await run(["doctor", "deliveries", "--data", folder.path])).toEqual({
      code: 0,
      err: "",
      out: "ok     deliveries  6 checked\n"
    })
  })

  test.each([
    ["queue SET leased_until = 0", "attempting", "it is Attempting, and has no lease"],
    ["queue SET leased_until = 9", "waiting", "it is Waiting, and what is due is the end of a lease"],
    ["queue SET due_kind = 'attempt_end'", "waiting", "it is Waiting, and what is due is attempt_end"],
    ["queue SET due_kind = 'attempt_end'", "attempting", "the end of its attempt is due, and no result is held"],
    ["queue SET due_at = 7", "waiting", "it is due at 1000000, and its row says 7"],
    ["queue SET retry = 0", "waiting", "it is Waiting, in the queue of the other kind of attempt"],
    ["queue SET held = '{}'", "waiting", "a result is held, and the end of its attempt is not due"],
    ["queue SET attempts = 3", "waiting", "it has 2 attempts, and its row says 3"],
    [
      "queue SET state = json_set(state, '$._tag', 'Cancelled', '$.at', 1)",
      "waiting",
      "it is Cancelled, and is still in the queue"
    ],
    [
      "queue SET state = json_set(state, '$._tag', 'Cancelled', '$.at', 1)",
      "attempting",
      "it was claimed in the state Cancelled"
    ],
    ["queue SET state = json_set(state, '$.retry', 6)", "attempting", "attempt 7 of 6 is in flight, after attempt 1"],
    ["queue SET state = json_set(state, '$.retry', 6)", "waiting", "it waits for retry 6 of 5, after attempt 2"],
    ["deliveries SET ended_as = 'Delivered'", "scheduled", "it is Delivered, and is still in the queue"],
    ["deliveries SET ended_as = 'Cancelled', ended_at = 9", "delivered", "it is Cancelled, and attempt 2 delivered it"],
    ["deliveries SET ended_as = 'Waiting'", "cancelled", "it has ended as Waiting"],
    ["deliveries SET ended_at = NULL", "cancelled", "it has ended, and has no time of its end"],
    ["deliveries SET ended_as = NULL", "cancelled", "it has not ended, and is not in the queue"]
  ])("are checked after %s of a delivery that is %s", (change, id, fault) => {
    const statement = change.startsWith("queue")
      ? `UPDATE delivery_${change} WHERE sequence = (SELECT sequence FROM deliveries WHERE id = '${id}')`
      : `UPDATE ${change} WHERE id = '${id}'`
    expect(faultsAfter(statement)).toContain(`delivery ${id}: ${fault}`)
  })

  test.each([
    ["DELETE FROM delivery_documents WHERE sequence = 1", "delivery scheduled: its body is missing"],
    ["DELETE FROM deliveries WHERE id = 'waiting'", "the body of delivery waiting exists without the delivery"],
    ["DELETE FROM deliveries WHERE id = 'waiting'", "attempt 1 has no delivery (number 2)"],
    ["DELETE FROM deliveries WHERE id = 'waiting'", "a row of the queue has no delivery (number 2)"],
    ["DELETE FROM delivery_queue WHERE sequence = 1", "delivery scheduled: it has not ended, and is not in the queue"],
    [
      "DELETE FROM delivery_attempts WHERE sequence = 4 AND place = 1",
      "delivery delivered: it has not ended, and is not in the queue"
    ],
    [
      `UPDATE delivery_attempts SET document = '{"attempt":2,"outcome":"failure"}' WHERE sequence = 4 AND place = 1`,
      "delivery delivered: it is Delivered, and its last attempt did not succeed"
    ],
    [
      "UPDATE delivery_attempts SET delivered_at = 9 WHERE sequence = 4",
      "delivery delivered: it is Delivered, and attempt 1 delivered it"
    ],
    [
      "UPDATE delivery_attempts SET delivered_at = 9 WHERE sequence = 2",
      "delivery waiting: it is Delivered, and is still in the queue"
    ],
    [
      "DELETE FROM delivery_attempts WHERE sequence = 2 AND place = 0",
      "delivery waiting: the attempt at place 0 is missing"
    ],
    [
      `INSERT INTO delivery_attempts VALUES (5, 6, '{"attempt":7,"outcome":"failure"}', NULL)`,
      "delivery failed: attempt 7 is beyond its maximum of 6"
    ],
    [
      `UPDATE delivery_attempts SET document = '{"attempt":1,"outcome":"failure"}' WHERE sequence = 2`,
      "delivery waiting: attempt 1 comes after attempt 1"
    ],
    [
      `INSERT INTO delivery_attempts VALUES (6, 0, '{"attempt":1,"outcome":"success"}', NULL)`,
      "delivery cancelled: it is Cancelled, after 1 successes"
    ]
  ])("are checked after %s: %s", (statement, fault) => {
    expect(faultsAfter(statement)).toContain(fault)
  })

  const faultsAfter = (statement: string) => {
    const file = join(temporaryFolder(), "tapedeck.db")
    copyFileSync(join(folder.path, "tapedeck.db"), file)
    change(file, statement)
    return inspectDeliveries(file).faults
  }
})
