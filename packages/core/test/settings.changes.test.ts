import type { Delivery } from "@tapedeck/domain"
import { auditEventTypes } from "@tapedeck/domain/audit"
import {
  AccountChange,
  AuditDestinationChange,
  AutomationChange,
  FolderChange,
  UserChange
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  AccountSettings,
  AutomationSettings,
  DestinationSettings,
  FolderSettings,
  MASK,
  RecordingSettings,
  UserSettings
} from "../src/index.ts"
import { beforeNextTransaction } from "./beforeNextTransaction.ts"
import { aDestination, ada } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { admin, type Change, one, rows } from "./settingsChanges.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const targetOf = (world: SettingsWorld, at: number) => {
  const { eventType, metadata } = world.entries()[at]!
  const { changes, targetId, targetType } = metadata
  return { eventType, target: `${targetType} ${targetId}`, changes }
}

/** What is stored, without the counters of ids, which a refused change may have used. */
const tablesOf = (world: SettingsWorld) => {
  const { counters, files, ...tables } = world.memory.state()
  return { ...tables, files: files.keysArray() }
}

describe("the audit entry of a change of settings (A4, A7)", () => {
  it.each(rows)("$does: $entry.0", async ({ after, change, entry }) => {
    const world = await makeSettingsWorld()
    if (after !== undefined) await world.run(after)
    const before = world.entries().length
    await world.run(change)
    const [eventType, target, changes] = entry
    expect(world.entries()).toHaveLength(before + 1)
    const written = targetOf(world, before)
    expect(written).toMatchObject({ eventType, target: expect.stringContaining(target) })
    expect(written.changes).toEqual(changes)
    expect(world.entries()[before]).toMatchObject({ userId: ada.id, accountId: 1, status: "success" })
  })

  it.each(rows)(
    "$does: the change, the entry and its deliveries are committed together or not at all (A5)",
    async ({ after, change, entry }) => {
      const world = await makeSettingsWorld()
      if (after !== undefined) await world.run(after)
      // The last thing that a change writes is the delivery of its entry. Another destination is told of this one's end.
      const { store } = world
      await world.run(store.destinations.save(aDestination("other")))
      const insert = store.deliveries.insert
      const failing = (delivery: Delivery) => (delivery.destinationId !== null ? Effect.die("full") : insert(delivery))
      Object.assign(store.deliveries, { insert: failing })
      const before = world.memory.state()
      expect((await world.run(Effect.exit(change)))._tag, entry[0]).toBe("Failure")
      const { files, ...tables } = tablesOf(world)
      for (const [name, table] of Object.entries(tables)) {
        expect(table, name).toBe(before[name as keyof typeof tables])
      }
      expect(files).toEqual(before.files.keysArray())
      expect(world.memory.state().counters.audit_entry).toBe(before.counters.audit_entry)
    }
  )

  it.each(rows)("$does: changes nothing for a user who is deactivated meanwhile", async ({ after, change }) => {
    const world = await makeSettingsWorld()
    if (after !== undefined) await world.run(after)
    const { store } = world
    const { files } = tablesOf(world)
    let before: unknown
    beforeNextTransaction(store, async () => {
      await world.run(store.users.save({ ...ada, active: false }))
      before = tablesOf(world)
    })
    expect(await world.refusal(change)).toMatchObject({ _tag: "Unauthenticated" })
    // Content that was stored before the transaction is gone too.
    expect(tablesOf(world)).toEqual({ ...(before as object), files })
  })

  it("comes with the published changes of what it changed", async () => {
    const published = new Map<string, string>()
    for (const { after, change, entry } of rows) {
      const world = await makeSettingsWorld()
      if (after !== undefined) await world.run(after)
      const reader = world.store.changes.open(undefined, () => true)
      await world.run(change)
      // Without the delivery of the entry itself.
      const seen = reader.take().flatMap((notice) => (notice.change?.data.id ? [] : [notice.change?.kind]))
      const kinds = [reader.mustIdentify ? "access" : [], ...new Set(seen)].flat().join(" ")
      // Changes with the same entry publish the same.
      expect([undefined, kinds], entry[0]).toContain(published.get(entry[0]))
      published.set(entry[0], kinds)
    }
    expect(Object.fromEntries([...published].filter(([, kinds]) => kinds !== ""))).toEqual({
      "account.updated": "access",
      "audit_destination.created": "delivery",
      "audit_destination.deleted": "delivery",
      "audit_destination.secret_removed": "delivery",
      "audit_destination.secret_rotated": "delivery",
      "audit_destination.updated": "delivery",
      "automation.created": "delivery",
      "automation.deleted": "delivery",
      "automation.secret_rotated": "delivery",
      "automation.updated": "delivery",
      "recording.added_to_folder": "recording",
      "recording.created": "recording",
      "recording.deleted": "recording",
      "recording.removed_from_folder": "recording",
      "recording.sharing_changed": "recording",
      "recording.updated": "recording",
      "redelivery.started": "delivery",
      "redelivery.stopped": "delivery",
      "transcript.requested": "recording",
      "transcript.updated": "recording transcript",
      "user.api_token_deleted": "access",
      "user.deactivated": "access",
      "user.invited": "access",
      "user.reactivated": "access",
      "user.role_changed": "access",
      "user.updated": "access"
    })
  })

  it("contains no secrets, header values, paths of URLs or payload templates", async () => {
    const world = await makeSettingsWorld()
    for (const { after, change } of rows) {
      if (after !== undefined) await world.run(Effect.ignore(after))
      await world.run(Effect.ignore(change))
    }
    const told = JSON.stringify(world.entries())
    for (const secret of ["k-4711", "secret/path", "key=1", "/hook", "whsec_", "tdk_", '"secret"']) {
      expect(told).not.toContain(secret)
    }
    expect(told).not.toContain(MASK)
  })

  it("exists for every event type that the settings can cause", () => {
    const made = new Set(rows.map(({ entry }) => entry[0]))
    expect(auditEventTypes.filter((eventType) => !made.has(eventType))).toEqual([
      // signIn.test.ts, signInLinks.test.ts
      "user.login",
      "user.logout",
      "user.login_failed",
      "user.password_changed",
      "user.password_link_created",
      "user.session_ended",
      "access.denied",
      "recording.downloaded",
      // settings.webhooks.test.ts
      "automation.tested",
      "audit_destination.tested",
      "audit_destination.redelivered",
      "audit_destination.delivery_cancelled"
    ])
  })
})

describe("a change that changes nothing", () => {
  const nothing: ReadonlyArray<readonly [string, Change]> = [
    [
      "a folder's name",
      Effect.flatMap(FolderSettings, ({ rename }) =>
        rename(admin, "vip", inputOf(FolderChange, { name: "Folder vip" }))
      )
    ],
    [
      "an automation's settings",
      Effect.flatMap(AutomationSettings, ({ update }) =>
        update(admin, "crm", inputOf(AutomationChange, { enabled: true, headers: { "X-Key": MASK }, payload: null }))
      )
    ],
    [
      "a destination's settings",
      Effect.flatMap(DestinationSettings, ({ update }) =>
        update(admin, "siem", inputOf(AuditDestinationChange, { max_retries: 6, filters: {} }))
      )
    ],
    [
      "a user's role",
      Effect.flatMap(UserSettings, ({ update }) => update(admin, "12", inputOf(UserChange, { role: "member" })))
    ],
    ["an active user", Effect.flatMap(UserSettings, ({ reactivate }) => reactivate(admin, "12"))],
    [
      "the account's name",
      Effect.flatMap(AccountSettings, ({ update }) => update(admin, inputOf(AccountChange, { name: "Acme" })))
    ],
    ["a recording that is in no folder", Effect.flatMap(RecordingSettings, ({ leave }) => leave(admin, one))]
  ]

  it.each(nothing)("a change of %s to the present value writes nothing", async (_what, change) => {
    const world = await makeSettingsWorld()
    const before = world.memory.state()
    await world.run(change)
    expect(world.memory.state()).toEqual(before)
    expect(world.entries()).toEqual([])
  })
})
