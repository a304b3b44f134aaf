import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { auditLinked } from "./support/auditLinks.ts"
import { listening, run, said, temporaryFolder } from "./support/command.ts"

const DAY_MS = 24 * 3_600_000

const changed = (data: string, body: (database: DatabaseSync) => void) => {
  const database = new DatabaseSync(join(data, "tapedeck.db"))
  body(database)
  database.close()
}

const putEntry = (database: DatabaseSync, id: number, at: number) => {
  const entry = {
    id,
    accountId: 1,
    eventType: "recording.updated",
    status: "success",
    at,
    userId: null,
    ipAddress: null,
    userAgent: null,
    metadata: { targetType: "recording", targetId: "r", changes: {} }
  }
  database
    .prepare(
      "INSERT INTO audit_entries (id, account_id, user_id, event_type, target_id, at, document) VALUES (?, 1, NULL, ?, ?, ?, ?)"
    )
    .run(id, entry.eventType, entry.metadata.targetId, at, JSON.stringify(entry))
  database.exec(`
    INSERT INTO audit_entry_counts (account_id, event_type, entries) VALUES (1, 'recording.updated', 1)
    ON CONFLICT (account_id, event_type) DO UPDATE SET entries = entries + 1`)
}

const putDelivery = (database: DatabaseSync, id: string, createdAt: number, deliveredAt: number | null = createdAt) => {
  const { lastInsertRowid } = database
    .prepare("INSERT INTO deliveries (id, account_id, automation_id) VALUES (?, 1, 'a')")
    .run(id)
  const fixed = {
    id,
    accountId: 1,
    automationId: "a",
    destinationId: null,
    recordingUuid: null,
    auditEntryId: null,
    test: false,
    redeliveryOf: null,
    event: "recording.added_to_folder",
    createdAt,
    schedule: []
  }
  database
    .prepare("INSERT INTO delivery_documents (sequence, document, body) VALUES (?, ?, '{}')")
    .run(lastInsertRowid, JSON.stringify(fixed))
  if (deliveredAt === null) return
  database.prepare("INSERT INTO delivery_attempts VALUES (?, 0, '{}', ?)").run(lastInsertRowid, deliveredAt)
}

describe("TAPEDECK_KEEP_LOGS and TAPEDECK_KEEP_AUDIT", () => {
  test("remove older entries, and the audit log still verifies; without them all are kept", async () => {
    const data = join(temporaryFolder(), "data")
    const first = await listening(["--data", data])
    await first.stop()
    const now = Date.now()
    changed(data, (database) => {
      putEntry(database, 1, now - 3 * DAY_MS)
      // Younger than a day: a clock that is further ahead of the newest entry is not trusted at once.
      putEntry(database, 2, now - DAY_MS / 2)
      putDelivery(database, "old", now - 3 * DAY_MS)
      putDelivery(database, "old, and not ended as far as is known", now - 3 * DAY_MS, null)
      putDelivery(database, "young", now - DAY_MS / 2)
    })
    const verified = async () => {
      const { code, out } = await run(["audit", "verify", "--data", data, "--json"])
      return { code, account: (JSON.parse(out) as { accounts: ReadonlyArray<{ waiting: number }> }).accounts[0] }
    }

    const unpruned = await listening(["--data", data])
    await auditLinked(data)
    await unpruned.stop()
    expect(await verified()).toMatchObject({ code: 0, account: { links: 2, pruned: null } })

    const pruning = await listening(["--data", data], { TAPEDECK_KEEP_LOGS: "P2D", TAPEDECK_KEEP_AUDIT: "P2D" })
    await said(pruning, '"message":"pruned","deliveries":1,"audit_entries":1')
    expect(await verified()).toMatchObject({
      code: 0,
      account: { links: 1, found: 0, pruned: { entries: 1, last_entry_id: 1 } }
    })
    expect(await pruning.stop()).toBe(0)
    changed(data, (database) => {
      const idsOf = (table: string) =>
        database
          .prepare(`SELECT id FROM ${table}`)
          .all()
          .map(({ id }) => id)
      expect(idsOf("deliveries")).toEqual(["old, and not ended as far as is known", "young"])
      expect(idsOf("audit_entries")).toEqual([2])
      expect(database.prepare("SELECT entries FROM audit_entry_counts").all()).toMatchObject([{ entries: 1 }])
    })
  })
})
