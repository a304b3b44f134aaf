import type { Automation, Delivery } from "@tapedeck/domain"
import { AutomationChange, AutomationInput, FolderChoice } from "@tapedeck/domain/input"
import { addressedTo } from "@tapedeck/domain/internal/receivers"
import { Effect, identity } from "effect"
import { describe, expect, it } from "vitest"
import { AutomationSettings, DeliveryLog, RecordingSettings, StateConflict } from "../src/index.ts"
import { findReceiver } from "../src/receivers/receivers.ts"
import { ada, callerOf, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const crm = { kind: "automation", id: "crm" } as const

const change = (world: SettingsWorld, fields: object) =>
  world.run(
    Effect.flatMap(AutomationSettings, ({ update }) => update(admin, "crm", inputOf(AutomationChange, fields as never)))
  )

const refusalOf = (world: SettingsWorld, fields: object) =>
  world.refusal(
    Effect.flatMap(AutomationSettings, ({ update }) => update(admin, "crm", inputOf(AutomationChange, fields as never)))
  )

/** Changes the recording in the store. */
const set = (world: SettingsWorld, known: object) =>
  world.run(
    Effect.gen(function* () {
      const recording = yield* world.store.recordings.byUuid(uuidOf(1))
      yield* world.store.recordings.save({ ...recording!, ...known })
    })
  )

const zendesk = (ticketId: string | null) => ({
  helpdesk: {
    platform: "zendesk",
    ticketId,
    activeTicketId: null,
    conversationId: null,
    issueId: null,
    objectId: null,
    userId: null,
    operatorId: null,
    customerId: null
  }
})

const file = (world: SettingsWorld) =>
  world.run(
    Effect.flatMap(RecordingSettings, ({ move }) => move(admin, uuidOf(1), inputOf(FolderChoice, { folder_id: "vip" })))
  )

const log = async (world: SettingsWorld): Promise<ReadonlyArray<Delivery>> =>
  (await world.run(Effect.flatMap(DeliveryLog, ({ list }) => list(admin, crm, { each: identity })))).items

const again = (id: string) => Effect.flatMap(DeliveryLog, ({ redeliver }) => redeliver(admin, crm, id))

const url = "https://crm.test/tickets/{{recording.ticket_id}}/notes?by={{recording.title}}"

const urlOf = async (world: SettingsWorld, delivery: Delivery) =>
  (await world.run(findReceiver(world.store, delivery)))?.url

describe("an automation's URL with variables (T3)", () => {
  it("is rendered with the values of the event, percent-encoded, whatever the recording becomes", async () => {
    const world = await makeSettingsWorld()
    await change(world, { url, headers: {} })
    await set(world, { ...zendesk("47/11"), title: "a&b" })
    await file(world)
    await set(world, { ...zendesk("9"), title: "later" })
    const [delivery] = await log(world)
    expect(await urlOf(world, delivery!)).toBe("https://crm.test/tickets/47%2F11/notes?by=a%26b")
    expect(delivery).toMatchObject({ state: { _tag: "Scheduled" }, urlValues: { "recording.ticket_id": "47/11" } })
    const redelivered = await world.run(again(delivery!.id))
    expect(await urlOf(world, redelivered)).toBe("https://crm.test/tickets/47%2F11/notes?by=a%26b")
  })

  it("is that of the attempt, with the values of the event; one that needs other values sends nothing", async () => {
    const world = await makeSettingsWorld()
    await change(world, { url, headers: {} })
    await set(world, { ...zendesk("4711"), title: "a" })
    await file(world)
    const [delivery] = await log(world)
    await change(world, { url: "https://crm.test/v2/{{recording.ticket_id}}" })
    expect(await urlOf(world, delivery!)).toBe("https://crm.test/v2/4711")
    await change(world, { url: "https://crm.test/v2/{{recording.id}}" })
    expect(await world.run(findReceiver(world.store, delivery!))).toMatchObject({
      urlProblem: "the URL needs recording.id, which it did not need at the time of the event"
    })
    await change(world, { url: "https://crm.test/v3" })
    expect(addressedTo((await world.run(findReceiver(world.store, delivery!)))!, delivery!).url).toBe(
      "https://crm.test/v3"
    )
  })

  it("fails a delivery permanently if a value would make it another URL, until the value is another", async () => {
    const world = await makeSettingsWorld()
    await change(world, { url, headers: {} })
    await set(world, { ...zendesk(".."), title: "a" })
    await file(world)
    const [delivery] = await log(world)
    expect(delivery).toMatchObject({
      state: { _tag: "PermanentlyFailed" },
      error: "url_invalid",
      body: "",
      attempts: []
    })
    expect(await world.refusal(again(delivery!.id))).toEqual(new StateConflict({ reason: "Its URL is still invalid" }))
    await set(world, zendesk("4711"))
    expect((await world.run(again(delivery!.id))).state._tag).toBe("Scheduled")
  })

  it.each([
    ["https://{{recording.ticket_id}}.test/", "character 9: recording.ticket_id is in the host or port"],
    ["https://crm.test/#{{event}}", "character 19: event is in the fragment"],
    ["https://crm.test/{{recording.ticket}}", "is no variable (did you mean recording.ticket_id?)"],
    ["http://crm.test/{{event}}", "must begin with https://"],
    ["https://a:b@crm.test/{{event}}", "must not contain a user name or password"]
  ])("is refused when it is saved: %s", async (refused, message) => {
    const world = await makeSettingsWorld()
    expect(JSON.stringify(await refusalOf(world, { url: refused, headers: {} }))).toContain(message)
  })
})

describe("a skipped delivery (T4)", () => {
  it("is made if the URL needs a variable that is missing, and is delivered again once the recording has it", async () => {
    const world = await makeSettingsWorld()
    await change(world, { url, headers: {}, payload: '"{{recording.title}}"' })
    await set(world, { ...zendesk(null), title: "before" })
    await file(world)
    const [delivery] = await log(world)
    expect(delivery).toMatchObject({
      state: { _tag: "Skipped" },
      skipped: { reason: "variable_missing", variables: ["recording.ticket_id"] },
      body: "",
      attempts: []
    })
    expect(delivery).not.toHaveProperty("error")
    const due = (await world.run(world.store.agenda.list)).filter(({ kind }) => kind === "attempt")
    expect(due).toHaveLength((await world.deliveries()).filter(({ state }) => state._tag === "Scheduled").length)
    const reason = "It would be skipped again: the URL needs recording.ticket_id, which the recording does not have"
    expect(await world.refusal(again(delivery!.id))).toEqual(new StateConflict({ reason }))
    await set(world, { ...zendesk("4711"), title: "now" })
    const redelivered = await world.run(again(delivery!.id))
    expect(redelivered).toMatchObject({ state: { _tag: "Scheduled" }, body: '"now"', redeliveryOf: delivery!.id })
    expect((await log(world)).map(({ state }) => state._tag)).toEqual(["Scheduled", "Skipped"])
  })

  it.each([
    [{ platforms: ["jira"] }, "platform"],
    [{ types: ["Live"] }, "type"],
    [{ has_ticket: true }, "no_ticket"],
    [{ platforms: ["zendesk", "tapedeck"], types: ["Received"] }, undefined],
    [{}, undefined]
  ])("is made if the condition %j does not hold", async (only, reason) => {
    const world = await makeSettingsWorld()
    await change(world, { only })
    await set(world, { ...zendesk(null), type: "Received" })
    await file(world)
    const [delivery] = await log(world)
    expect(delivery?.skipped?.reason).toBe(reason)
    expect(delivery?.state._tag).toBe(reason === undefined ? "Scheduled" : "Skipped")
  })

  it("has a condition that names a platform that there is", async () => {
    const world = await makeSettingsWorld()
    const input = inputOf(AutomationInput, {
      folder_id: "vip",
      url: "https://crm.test/",
      only: { platforms: ["zendesc"] }
    })
    const refused = await world.refusal(Effect.flatMap(AutomationSettings, ({ create }) => create(admin, input)))
    expect(JSON.stringify(refused)).toContain("must be one of zendesk, intercom")
  })

  it("is not made for a send-test, which is sent whatever the condition", async () => {
    const world = await makeSettingsWorld()
    const changed: Automation = await change(world, { only: { types: ["Live"] } })
    expect(changed.only).toEqual({ platforms: [], types: ["Live"], hasTicket: false })
    const { delivery } = await world.run(Effect.flatMap(AutomationSettings, ({ test }) => test(admin, "crm")))
    expect(delivery.state._tag).not.toBe("Skipped")
  })
})
