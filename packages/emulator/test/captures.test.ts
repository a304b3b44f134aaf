import { startEmulator } from "@tapedeck/emulator"
import { expect, test } from "vitest"

const uuid = "7d0f3c1e-0000-4000-8000-000000000001"

const document = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm" }],
  automations: [{ folder: "vip", url: "sink:crm" }],
  capture_links: [{ id: "l1", user: "ada@acme.test", folder: "vip", title: "Show us", max_uses: 2 }]
} as const
const captures = [
  { link: "l1", recording: uuid, video: { base64: "AAAA" } },
  { link: "l1", state: "finished", title: "Done" }
] as const

const ways = {
  "a start document": () => startEmulator({ fixtures: { ...document, captures } }),
  "the control plane": async () => {
    const emulator = await startEmulator({ fixtures: document })
    const made = await emulator.fixtures({ captures })
    expect(made.captures).toMatchObject([
      { state: "open", recording: uuid },
      { state: "finished", title: "Done" }
    ])
    return emulator
  }
}

test.each(Object.entries(ways))(
  "an open capture of %s is abandoned after 10 minutes, enters its link's folder, and fires",
  async (_, start) => {
    const emulator = await start()
    const { pending } = await emulator.clock.get()
    expect(pending).toEqual([{ at: "2026-01-01T00:10:00.000Z", kind: "capture", id: uuid }])
    const moved = await emulator.clock.advance({ until: "idle" })
    expect(moved.fired.map(({ at, kind }) => [at, kind])).toEqual([
      ["2026-01-01T00:10:00.000Z", "capture"],
      ["2026-01-01T00:10:00.000Z", "attempt"]
    ])
    const { requests } = await emulator.sinks.get("crm")
    expect(JSON.parse(requests[0]!.body).recording).toMatchObject({ title: "Show us" })
    await emulator.close()
  }
)
