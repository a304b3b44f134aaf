import { RecordingChange, RecordingInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { RecordingContent, RecordingSettings } from "../src/index.ts"
import { ada, bob, callerOf, instantAfter, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const settings = Effect.flatMap(RecordingSettings, Effect.succeed)

const create = (caller: typeof admin, input: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(settings, ({ create }) => create(caller, inputOf(RecordingInput, input)))

describe("a new recording", () => {
  it("accepts the maximum length of each field, and no more", async () => {
    const world = await makeSettingsWorld()
    const { recording } = await world.run(
      create(admin, {
        console_logs: "x".repeat(65_536),
        browser: "x".repeat(255),
        network_errors: ["x".repeat(999_996)]
      })
    )
    expect(recording.consoleLogs).toHaveLength(65_536)
    const refused = create(admin, {
      console_logs: "x".repeat(65_537),
      browser: "x".repeat(256),
      network_errors: ["x".repeat(999_997)],
      technical_details: { isp: "x".repeat(256) },
      helpdesk: { platform: "jira", ticket_id: "x".repeat(256) },
      customer: { email: `${"x".repeat(255)}@x.test` },
      recording_type: "Live",
      room_insights: { participants_insights: Array(400).fill({ participant_id: "x".repeat(70) }) }
    })
    expect((await world.refusal(refused)).message.split("; ").toSorted()).toEqual([
      "browser must be at most 255 characters long",
      "console_logs must be at most 65536 characters long",
      "customer.email must be at most 255 characters long",
      "helpdesk.ticket_id must be at most 255 characters long",
      "network_errors must be at most 1000000 characters long, as JSON",
      "room_insights must be at most 32768 characters long, as JSON",
      "technical_details.isp must be at most 255 characters long"
    ])
  })
})

describe("a change of a recording", () => {
  const update = (input: Readonly<Record<string, unknown>>, n = 1) =>
    RecordingContent.use(({ update }) => update(admin, uuidOf(n), inputOf(RecordingChange, input)))

  it("changes every field, and lists the changes in the audit log", async () => {
    const world = await makeSettingsWorld()
    await world.setTime(instantAfter(9))
    const { owner, recording } = await world.run(
      update({
        title: "New",
        user: "ADA@acme.test",
        recording_source: "Import",
        helpdesk: { platform: "jira", ticket_id: "SUP-1" },
        technical_details: { isp: "Example", vendor: null },
        v1_platform: "Win32",
        console_logs: "[error] x",
        console_errors: ["a", "b"],
        network_errors: [],
        browser: "Firefox",
        os: "Linux",
        customer: { email: "c@example.com" }
      })
    )
    expect(owner).toEqual(ada)
    expect(await world.whole(1)).toMatchObject({
      title: "New",
      ownerId: ada.id,
      source: "Import",
      helpdesk: { platform: "jira", issueId: "SUP-1" },
      technicalDetails: { isp: "Example", vendor: null },
      v1Platform: "Win32",
      consoleLogs: "[error] x",
      consoleErrors: ["a", "b"],
      networkErrors: [],
      browser: "Firefox",
      os: "Linux",
      customerEmail: "c@example.com",
      updatedAt: instantAfter(9),
      transcript: { processed: [{ text: "Recognized" }] }
    })
    expect(recording).toEqual(await world.recording(1))
    const { eventType, metadata } = world.entries().at(-1)!
    expect(eventType).toBe("recording.updated")
    expect(Object.keys(metadata.changes)).toHaveLength(12)
    expect(metadata.changes).toMatchObject({
      user: { from: bob.email, to: ada.email },
      console_logs: { from: null, to: 9 },
      console_errors: { from: null, to: 2 },
      customer_email: { from: null, to: "c@example.com" }
    })
  })

  it("keeps omitted fields, also of technical details; null removes a value", async () => {
    const world = await makeSettingsWorld()
    await world.run(update({ browser: "Firefox", technical_details: { isp: "Example" }, console_errors: ["a"] }))
    await world.run(update({ browser: null, technical_details: { vendor: "V" }, user: null }))
    expect(await world.whole(1)).toMatchObject({
      browser: null,
      ownerId: null,
      consoleErrors: ["a"],
      technicalDetails: { isp: "Example", vendor: "V" }
    })
  })

  it("writes nothing, and no entry, if no value differs", async () => {
    const world = await makeSettingsWorld()
    const before = await world.recording(1)
    await world.setTime(instantAfter(9))
    await world.run(update({ title: before.title, user: bob.email, browser: null, console_errors: null }))
    expect(await world.recording(1)).toEqual(before)
    expect(world.entries()).toEqual([])
  })

  it.each([
    [{ user: "ghost@acme.test" }, "user is not the e-mail address of a user"],
    [{ user: "otto@other.test" }, "user is not the e-mail address of a user"],
    [{ helpdesk: { ticket_id: "1" } }, "helpdesk.ticket_id the own app has no tickets: give a platform"],
    [
      { console_logs: "x".repeat(65_537), os: 1 },
      "console_logs must be at most 65536 characters long; os must be a string or null"
    ]
  ])("is refused with an error for each invalid field: %#", async (input, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(update(input))).message).toBe(message)
  })
})
