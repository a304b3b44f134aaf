import { ForbiddenError, Tapedeck } from "@tapedeck/client"
import { emulatorClient, worldClient } from "@tapedeck/emulator/client"
import { test as withWorld } from "@tapedeck/emulator/vitest"
import { describe, expect, test } from "vitest"
import { helpdesk, recordingUuid } from "./support/helpdesk.ts"

const team = {
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin" as const },
    { email: "bob@acme.test", name: "Bob" }
  ],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm", respond: [500, 200] }],
  automations: [{ folder: "vip", url: "sink:crm" }]
}

describe("emulatorClient", () => {
  test("returns a client of an emulator in this process, with its world", async () => {
    const tapedeck = await emulatorClient({ fixtures: team, as: "ada@acme.test" })
    expect(tapedeck).toBeInstanceOf(Tapedeck)
    const recording = await tapedeck.settings.recordings.create({ title: "Checkout fails" })
    await tapedeck.settings.recordings.move(recording.uuid, { folder_id: "vip" })
    const { fired } = await tapedeck.world.clock.advance({ until: "idle" })
    expect(fired.map(({ outcome }) => outcome)).toEqual(["failure", "success"])
    expect((await tapedeck.recordings.list()).records.map(({ title }) => title)).toEqual(["Checkout fails"])
    const journal = await tapedeck.world.journal.read({ kind: "request" })
    expect(journal.entries.map((entry) => "user" in entry && entry.user)).toContain("ada@acme.test")
    await tapedeck.close()
  })

  test("calls as the first user by default, or as the given user", async () => {
    const tapedeck = await emulatorClient({ fixtures: team })
    expect(await tapedeck.users.search("bob@acme.test")).toMatchObject({ name: "Bob" })
    const bob = await worldClient(tapedeck.world, { as: "bob@acme.test" })
    await expect(bob.users.search("bob@acme.test")).rejects.toThrow(ForbiddenError)
    await tapedeck.close()
  })

  test("calls with a session if a token is not accepted", async () => {
    const tapedeck = await emulatorClient({ fixtures: team, session: true })
    const { token } = await tapedeck.settings.tokens.create({ name: "CI" })
    expect(token).toMatch(/^tdk_/)
    await tapedeck.close()
  })

  test("lists the users if the given one is unknown, and reports if there are none", async () => {
    await expect(emulatorClient({ fixtures: team, as: "eve@acme.test" })).rejects.toThrow(
      "as: no such user eve@acme.test; the world's users are ada@acme.test, bob@acme.test"
    )
    await expect(emulatorClient()).rejects.toThrow("as: the world has no users; give it some in its fixtures")
  })
})

describe("the vitest fixture", () => {
  withWorld.override({ worldOptions: { fixtures: helpdesk } })

  withWorld("gives a client of the test's own world", async ({ tapedeck, world }) => {
    expect(await tapedeck.recordings.get(recordingUuid)).toMatchObject({ title: "Checkout fails" })
    expect(tapedeck.world.id).toBe(world.id)
  })

  describe("with another user", () => {
    withWorld.override({ callerOptions: { session: true } })

    withWorld("calls with a session", async ({ tapedeck }) => {
      expect((await tapedeck.settings.sessions.current()).user.email).toBe("ada@acme.test")
    })
  })
})
