import { type Delivery, SAMPLE_RECORDING_UUID } from "@tapedeck/domain"
import {
  AuditDestinationChange,
  AutomationChange,
  AutomationInput,
  FolderChoice,
  SecretRotation
} from "@tapedeck/domain/input"
import { listedDelivery } from "@tapedeck/domain/internal/delivery"
import { Effect, identity } from "effect"
import { describe, expect, it } from "vitest"
import {
  AutomationSettings,
  DeliveryLog,
  DestinationSettings,
  FolderSettings,
  MASK,
  RecordingSettings
} from "../src/index.ts"
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

describe("a new automation", () => {
  it("fires for the next recording that is added, with a generated secret, POST and the default payload", async () => {
    const world = await makeSettingsWorld()
    const made = await world.run(
      Effect.flatMap(automations, ({ create }) =>
        create(admin, inputOf(AutomationInput, { folder_id: "vip", url: "https://x.test/" }))
      )
    )
    expect(made).toMatchObject({
      method: "POST",
      headers: {},
      payloadTemplate: null,
      enabled: true,
      previousSecrets: []
    })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await file(world, 1)
    const fired = (await world.deliveries()).filter(({ automationId }) => automationId !== null)
    expect(fired.map(({ automationId }) => automationId)).toEqual(["crm", made.id])
  })

  it.each([
    [{}, ["folder_id is required", "url is required"]],
    [{ folder_id: "theirs", url: "https://x.test/" }, ["folder_id is not the id of a folder"]],
    [{ folder_id: "", url: "https://x.test/" }, ["folder_id must not be empty"]],
    [{ folder_id: "vip", url: "http://x.test/" }, ["url must begin with https://"]],
    [
      { folder_id: "vip", url: "https://u:p@x.test/" },
      ["url must not contain a user name or password (use an Authorization header)"]
    ],
    [{ folder_id: "vip", url: `https://x.test/${"x".repeat(2048)}` }, ["url must be at most 2048 characters long"]],
    [{ folder_id: "vip", url: "https://x.test/", method: "GET" }, ["method must be one of POST, PUT, PATCH, DELETE"]],
    [
      {
        folder_id: "vip",
        url: "https://x.test/",
        headers: { Host: "x", "X-Tapedeck-Signature": "x", "a b": "x", "X-N": 1 }
      },
      [
        "headers.Host is set by the service and cannot be a custom header",
        "headers.X-Tapedeck-Signature is set by the service and cannot be a custom header",
        'headers["a b"] is not a valid header name',
        "headers.X-N must be a string"
      ]
    ],
    [
      { folder_id: "vip", url: "https://x.test/", payload: '{\n "a": {{recording.nothing}},\n "b": }' },
      [
        "payload line 2, column 7: there is no variable recording.nothing",
        'payload line 3, column 7: a JSON value or a placeholder must stand here, not "}"'
      ]
    ],
    [{ folder_id: "vip", url: "https://x.test/", secret: "" }, ["secret must not be empty"]],
    [{ folder_id: "vip", url: "https://x.test/", secret: "whsec_no" }, ["secret must be base64 after whsec_"]],
    [
      { folder_id: "vip", url: "https://x.test/", enabled: 1, payload: {} },
      ["enabled must be true or false", "payload must be a string or null"]
    ]
  ])("is refused with an error for each invalid field: %j", async (input, problems) => {
    const world = await makeSettingsWorld()
    const refusal = await world.refusal(
      Effect.flatMap(automations, ({ create }) => create(admin, inputOf(AutomationInput, input)))
    )
    expect(refusal).toMatchObject({ _tag: "InputInvalid" })
    expect(refusal.message.split("; ")).toEqual(problems)
  })

  it.each([
    [3_000, null],
    [3_500, "payload gives more than 1 MiB, whatever the recording"]
  ])("accepts or refuses a payload of %i links of 300 characters: %s", async (count, problem) => {
    const world = await makeSettingsWorld({ publicUrl: `https://${"a".repeat(252)}.test` })
    const payload = JSON.stringify(Array.from({ length: count }, () => "")).replaceAll('""', "{{recording.url}}")
    const input = { folder_id: "vip", url: "https://x.test/", payload }
    const create = Effect.flatMap(automations, ({ create }) => create(admin, inputOf(AutomationInput, input)))
    if (problem === null) await world.run(create)
    else expect((await world.refusal(create)).message).toBe(problem)
  })

  it("may have an http URL if the emulator's rules allow it", async () => {
    const world = await makeSettingsWorld({ allowHttp: (given) => given.startsWith("http://localhost") })
    const create = (url: string) =>
      Effect.flatMap(automations, ({ create }) => create(admin, inputOf(AutomationInput, { folder_id: "vip", url })))
    await world.run(create("http://localhost:1/"))
    expect((await world.refusal(create("http://example.com/"))).message).toContain("must begin with https://")
  })
})

describe("custom headers that are sent back masked", () => {
  const update = (input: Readonly<Record<string, unknown>>) =>
    Effect.flatMap(automations, ({ update }) => update(admin, "crm", inputOf(AutomationChange, input)))

  it("keep their values, whatever the case of their names", async () => {
    const world = await makeSettingsWorld()
    const updated = await world.run(update({ headers: { "x-key": MASK, "X-New": "n" } }))
    expect(updated.headers).toEqual({ "x-key": "k-4711", "X-New": "n" })
  })

  it.each(["https://crm.attacker.test/", "https://crm.test:8443/", "https://other.crm.test/hook"])(
    "stay with their host: a change of the URL to %s needs them again",
    async (url) => {
      const world = await makeSettingsWorld()
      for (const headers of [undefined, { "X-Key": MASK }]) {
        const refusal = await world.refusal(update({ url, ...(headers && { headers }) }))
        expect(refusal).toMatchObject({ _tag: "InputInvalid" })
        expect(refusal.message).toContain("url leads to another host")
      }
      expect((await world.run(update({ url, headers: {} }))).headers).toEqual({})
    }
  )

  it("stay where only the URL's path changes, and go with another host if their values are given", async () => {
    const world = await makeSettingsWorld()
    const { headers, url } = await world.run(update({ enabled: true }))
    expect((await world.run(update({ url: new URL("/other?a=1", url).href }))).headers).toEqual(headers)
    const moved = { url: "https://new.test/", headers: { "X-Key": "again" } }
    expect(await world.run(update(moved))).toMatchObject(moved)
  })

  it("are refused if there was no header of that name", async () => {
    const world = await makeSettingsWorld()
    const refusal = await world.refusal(update({ headers: { "X-Other": MASK } }))
    expect(refusal.message).toBe("headers.X-Other is masked, and there is no such header yet: give its value")
  })
})

describe("turning off and deleting webhooks (W11)", () => {
  const ends = {
    "turning an automation off": Effect.flatMap(automations, ({ update }) =>
      update(admin, "crm", inputOf(AutomationChange, { enabled: false }))
    ),
    "deleting an automation": Effect.flatMap(automations, ({ remove }) => remove(admin, "crm")),
    "deleting its folder": Effect.flatMap(FolderSettings, ({ remove }) => remove(admin, "vip"))
  }

  it.each(Object.entries(ends))("%s cancels its pending deliveries, and the log shows it", async (_what, end) => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    await world.setTime(instantAfter(5))
    await world.run(end)
    const own = (await world.deliveries()).filter(({ automationId }) => automationId === "crm")
    expect(own).toMatchObject([{ state: { _tag: "Cancelled", at: instantAfter(5) } }])
    const agenda = await world.run(world.store.agenda.list)
    expect(agenda.filter((due) => due.kind === "attempt" && due.deliveryId === own[0]!.id)).toEqual([])
  })

  it("does not change ended deliveries, nor those of other webhooks", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    const [done] = await logOf(world, crm)
    await world.run(world.store.deliveries.update({ ...done!, state: { _tag: "Delivered", at: startInstant } }))
    const audits = (await world.deliveries()).filter(({ destinationId }) => destinationId !== null)
    await world.run(ends["turning an automation off"])
    const states = new Map((await world.deliveries()).map(({ id, state }) => [id, state._tag]))
    expect(states.get(done!.id)).toBe("Delivered")
    expect(audits.map(({ id }) => states.get(id))).toEqual(["Scheduled"])
  })

  it("cancels the deliveries of an audit destination too", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    await world.run(
      Effect.flatMap(destinations, ({ update }) =>
        update(admin, "siem", inputOf(AuditDestinationChange, { enabled: false }))
      )
    )
    expect((await logOf(world, siem)).map(({ state }) => state._tag)).toEqual(["Cancelled"])
  })

  it("deleting a folder takes its recordings out of it and deletes its automations", async () => {
    const world = await makeSettingsWorld()
    await file(world, 1)
    await file(world, 2)
    await world.run(ends["deleting its folder"])
    expect((await world.recording(1)).folderId).toBeNull()
    expect((await world.recording(2)).folderId).toBeNull()
    expect(await world.run(world.store.automations.ofAccount(admin.account.id))).toEqual([])
    expect(
      world
        .entries()
        .map(({ eventType }) => eventType)
        .slice(-2)
    ).toEqual(["automation.deleted", "folder.deleted"])
    expect(world.entries().at(-1)?.metadata.changes.recordings).toEqual({ from: 2, to: null })
  })
})

describe("rotating a secret", () => {
  const rotate = (input: Readonly<Record<string, unknown>> = {}) =>
    Effect.flatMap(automations, ({ rotateSecret }) => rotateSecret(admin, "crm", inputOf(SecretRotation, input)))

  it("generates a new secret, and signs with the previous one too for a day", async () => {
    const world = await makeSettingsWorld()
    const rotated = await world.run(rotate())
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.previousSecrets).toEqual([{ secret: "secret", expiresAt: instantAfter(day) }])
  })

  it("accepts a given secret and a given overlap", async () => {
    const world = await makeSettingsWorld()
    const rotated = await world.run(rotate({ secret: "mine", overlap_seconds: 60 }))
    expect(rotated).toMatchObject({
      secret: "mine",
      previousSecrets: [{ secret: "secret", expiresAt: instantAfter(60_000) }]
    })
  })

  it("with an overlap of 0 stops every old secret at once", async () => {
    const world = await makeSettingsWorld()
    await world.run(rotate())
    expect((await world.run(rotate({ overlap_seconds: 0 }))).previousSecrets).toEqual([])
  })

  it("is refused while four previous secrets are in their overlap, until one expires or all are stopped", async () => {
    const world = await makeSettingsWorld()
    await world.run(rotate({ overlap_seconds: 1 }))
    for (let n = 0; n < 3; n++) await world.run(rotate())
    expect(await world.refusal(rotate())).toMatchObject({ _tag: "StateConflict" })
    await world.setTime(instantAfter(1000))
    await world.run(rotate())
    expect(await world.refusal(rotate())).toMatchObject({ _tag: "StateConflict" })
    expect((await world.run(rotate({ overlap_seconds: 0 }))).previousSecrets).toEqual([])
  })

  it.each([
    [{ overlap_seconds: 604_801 }, "overlap_seconds must be an integer from 0 to 604800"],
    [{ overlap_seconds: 1.5 }, "overlap_seconds must be an integer from 0 to 604800"],
    [{ secret: "" }, "secret must not be empty"]
  ])("refuses %j", async (input, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(rotate(input))).message).toBe(message)
  })

  it("gives a destination without a secret its first one; removing the secret stops the previous ones too", async () => {
    const world = await makeSettingsWorld()
    const onSiem = (call: "rotateSecret" | "removeSecret") =>
      Effect.flatMap(destinations, (them) =>
        call === "rotateSecret"
          ? Effect.asVoid(them.rotateSecret(admin, "siem", inputOf(SecretRotation, {})))
          : them.removeSecret(admin, "siem")
      )
    const get = Effect.flatMap(destinations, ({ get }) => get(admin, "siem"))
    await world.run(onSiem("rotateSecret"))
    expect((await world.run(get)).previousSecrets).toHaveLength(1)
    await world.run(onSiem("removeSecret"))
    expect(await world.run(get)).toMatchObject({ secret: null, previousSecrets: [] })
    await world.run(onSiem("rotateSecret"))
    expect(await world.run(get)).toMatchObject({ secret: expect.stringMatching(/^whsec_/), previousSecrets: [] })
  })
})

describe("a send-test (W9)", () => {
  const testCrm = Effect.flatMap(automations, ({ test }) => test(admin, "crm"))
  const testSiem = Effect.flatMap(destinations, ({ test }) => test(admin, "siem"))

  it("sends a sample recording, returns the outcome, and is marked in the log", async () => {
    const world = await makeSettingsWorld()
    const { delivery, result } = await world.run(testCrm)
    expect(result).toBe("success")
    expect(JSON.parse(delivery.body)).toMatchObject({
      event: "recording.added_to_folder",
      recording: { id: SAMPLE_RECORDING_UUID, url: `https://tapedeck.test/r/${SAMPLE_RECORDING_UUID}` },
      folder: { id: "vip", name: "Folder vip" },
      account: { id: "1", name: "Acme" }
    })
    expect(await logOf(world, crm)).toEqual([listedDelivery(delivery)])
    expect(delivery).toMatchObject({ test: true, recordingUuid: null, state: { _tag: "Delivered" } })
  })

  it("renders the automation's own payload", async () => {
    const world = await makeSettingsWorld()
    const payload = '{"title": "{{recording.title}}", "seconds": {{recording.duration}}}'
    await world.run(
      Effect.flatMap(automations, ({ update }) => update(admin, "crm", inputOf(AutomationChange, { payload })))
    )
    expect(JSON.parse((await world.run(testCrm)).delivery.body)).toEqual({ title: "Sample recording", seconds: 42 })
  })

  it("is not retried, and leaves nothing scheduled", async () => {
    const world = await makeSettingsWorld()
    world.answerTests(500)
    const { delivery, result } = await world.run(testCrm)
    expect(result).toBe("failed")
    expect(delivery.state._tag).toBe("PermanentlyFailed")
    const agenda = await world.run(world.store.agenda.list)
    expect(agenda.filter((due) => "deliveryId" in due && due.deliveryId === delivery.id)).toEqual([])
  })

  it("is sent although the automation is disabled", async () => {
    const world = await makeSettingsWorld()
    await world.run(
      Effect.flatMap(automations, ({ update }) => update(admin, "crm", inputOf(AutomationChange, { enabled: false })))
    )
    expect((await world.run(testCrm)).result).toBe("success")
  })

  it("of a destination sends the audit entry of the test itself, whatever its filters", async () => {
    const world = await makeSettingsWorld()
    const filters = { categories: ["authentication"] }
    await world.run(
      Effect.flatMap(destinations, ({ update }) => update(admin, "siem", inputOf(AuditDestinationChange, { filters })))
    )
    const { delivery } = await world.run(testSiem)
    const entry = world.entries().at(-1)!
    expect(entry).toMatchObject({ eventType: "audit_destination.tested", metadata: { targetId: "siem" } })
    expect(delivery).toMatchObject({ test: true, auditEntryId: entry.id, event: "audit_destination.tested" })
    expect(JSON.parse(delivery.body)).toMatchObject({ event: "audit_destination.tested", audit_log: { id: entry.id } })
    expect((await logOf(world, siem)).filter(({ test }) => !test)).toEqual([])
  })

  it("writes the audit entry automation.tested", async () => {
    const world = await makeSettingsWorld()
    await world.run(testCrm)
    expect(world.entries()).toMatchObject([
      { eventType: "automation.tested", metadata: { targetType: "automation", targetId: "crm" } }
    ])
  })
})
