import type { Delivery } from "@tapedeck/domain"
import { AuditDestinationChange, AutomationChange, FolderChoice } from "@tapedeck/domain/input"
import { listedDelivery } from "@tapedeck/domain/internal/delivery"
import { Effect, identity } from "effect"
import { describe, expect, it } from "vitest"
import { AuditTrail, AutomationSettings, DeliveryLog, DestinationSettings, RecordingSettings } from "../src/index.ts"
import { ada, callerOf, instantAfter, startInstant, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const crm = { kind: "automation", id: "crm" } as const
const siem = { kind: "audit_destination", id: "siem" } as const
const day = 24 * 3_600_000

const file = (world: SettingsWorld, n: number) =>
  world.run(
    Effect.flatMap(RecordingSettings, ({ move }) => move(admin, uuidOf(n), inputOf(FolderChoice, { folder_id: "vip" })))
  )

const logOf = async (world: SettingsWorld, owner: typeof crm | typeof siem): Promise<ReadonlyArray<Delivery>> =>
  (await world.run(Effect.flatMap(DeliveryLog, ({ list }) => list(admin, owner, { each: identity })))).items

const automations = Effect.flatMap(AutomationSettings, Effect.succeed)
const destinations = Effect.flatMap(DestinationSettings, Effect.succeed)

describe("redelivering", () => {
  const again = (owner: typeof crm | typeof siem, id: string) =>
    Effect.flatMap(DeliveryLog, ({ redeliver }) => redeliver(admin, owner, id))

  it("creates a new delivery with the same body, due now, with its own schedule", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    const [before] = await logOf(world, crm)
    const found = await world.run(Effect.flatMap(DeliveryLog, (log) => log.get(admin, crm, before!.id)))
    const failed: Delivery = { ...found, state: { _tag: "PermanentlyFailed", at: instantAfter(1) } }
    await world.run(world.store.deliveries.update(failed))
    await world.setTime(instantAfter(day))
    const redelivered = await world.run(again(crm, failed.id))
    expect(redelivered).toEqual({
      ...failed,
      id: redelivered.id,
      redeliveryOf: failed.id,
      createdAt: instantAfter(day),
      state: { _tag: "Scheduled", dueAt: instantAfter(day) }
    })
    expect(redelivered.id).not.toBe(failed.id)
    expect(await logOf(world, crm)).toEqual([redelivered, failed].map(listedDelivery))
  })

  it("replaces a delivery that still has attempts left", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    const [before] = await logOf(world, crm)
    await world.run(again(crm, before!.id))
    expect((await logOf(world, crm)).map(({ state }) => state._tag)).toEqual(["Scheduled", "Cancelled"])
  })

  it("uses the destination's present number of retries", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    const [before] = await logOf(world, siem)
    expect(before?.schedule).toHaveLength(6)
    await world.run(
      Effect.flatMap(destinations, ({ update }) =>
        update(admin, "siem", inputOf(AuditDestinationChange, { max_retries: 1 }))
      )
    )
    const redelivered = await world.run(again(siem, before!.id))
    expect(redelivered).toMatchObject({ schedule: [60_000], auditEntryId: before!.auditEntryId, body: before!.body })
    expect(world.entries().at(-1)?.eventType).toBe("audit_destination.redelivered")
  })

  it("is refused for a send-test, a disabled receiver, and another account's delivery", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    const [own] = await logOf(world, crm)
    const test = await world.run(Effect.flatMap(automations, ({ test }) => test(admin, "crm")))
    expect(await world.refusal(again(crm, test.delivery.id))).toMatchObject({ _tag: "StateConflict" })
    expect(await world.refusal(again(siem, own!.id))).toMatchObject({ _tag: "NotFound" })
    await world.run(
      Effect.flatMap(automations, ({ update }) => update(admin, "crm", inputOf(AutomationChange, { enabled: false })))
    )
    expect(await world.refusal(again(crm, own!.id))).toMatchObject({
      _tag: "StateConflict",
      message: "The automation is turned off"
    })
  })
})

describe("an execution log", () => {
  it("is listed newest first, in pages, and can be filtered by state", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    await file(world, 2)
    const list = (state?: "Scheduled" | "Delivered") =>
      Effect.flatMap(DeliveryLog, (log) =>
        log.list(admin, crm, { each: identity, ...(state === undefined ? {} : { state }) })
      )
    const all = await world.run(list())
    expect(all.items.map(({ recordingUuid }) => recordingUuid)).toEqual([uuidOf(2), uuidOf(1)])
    expect(all).toMatchObject({ count: 2, isExact: true })
    const done: Delivery = { ...all.items[0]!, state: { _tag: "Delivered", at: startInstant } }
    await world.run(world.store.deliveries.update(done))
    expect((await world.run(list("Delivered"))).items).toEqual([done])
    expect((await world.run(list("Scheduled"))).items).toEqual([all.items[1]])
  })
})

describe("reading the audit log", () => {
  it("lists entries newest first, and only those that match every filter", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    await world.setTime(instantAfter(10))
    await world.run(Effect.flatMap(automations, ({ viewSecret }) => viewSecret(admin, "crm")))
    await world.setTime(instantAfter(20))
    await world.run(Effect.flatMap(automations, ({ remove }) => remove(admin, "crm")))
    const list = async (options: Parameters<AuditTrail["Service"]["list"]>[1]) => {
      const page = await world.run(Effect.flatMap(AuditTrail, ({ list }) => list(admin, options)))
      return page.items.map(({ entry }) => entry.eventType)
    }
    const [filed, viewed, deleted] = ["recording.added_to_folder", "automation.secret_viewed", "automation.deleted"]
    expect(await list({ page: 1 })).toEqual([deleted, viewed, filed])
    expect(await list({ page: 2 })).toEqual([])
    expect(await list({ page: 1, category: "security" })).toEqual([viewed])
    expect(await list({ page: 1, severity: "medium" })).toEqual([deleted, viewed])
    expect(await list({ page: 1, severity: "medium", category: "data_changes" })).toEqual([])
    expect(await list({ page: 1, eventType: "automation.deleted" })).toEqual([deleted])
    expect(await list({ page: 1, userId: ada.id })).toEqual([deleted, viewed, filed])
    expect(await list({ page: 1, targetId: "crm" })).toEqual([deleted, viewed])
    expect(await list({ page: 1, userId: callerOf(ada).user.id, since: instantAfter(10) })).toEqual([deleted, viewed])
    expect(await list({ page: 1, until: instantAfter(10) })).toEqual([filed])
  })
})
