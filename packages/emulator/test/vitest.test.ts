import { expect, test } from "@tapedeck/emulator/vitest"
import { describe } from "vitest"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

test.override({ worldOptions: { fixtures: helpdesk } })

test("each test gets a world with the file's options", async ({ world }) => {
  const response = await world.fetch("/api/v2/recordings", asAda)
  expect(await response.json()).toMatchObject({ records: [{ uuid: recordingUuid }] })
})

describe("one test's changes", () => {
  const seen: Array<string> = []

  for (const title of ["first", "second"]) {
    test(`are not visible to another: ${title}`, async ({ world }) => {
      const before = await world.fetch(`/api/v2/recordings/${recordingUuid}`, asAda)
      expect(await before.json()).toMatchObject({ title: "Checkout fails" })
      expect((await world.clock.get()).now).toBe("2026-01-01T00:00:00.000Z")
      await world.fetch(`/api/v2/recordings/${recordingUuid}`, {
        method: "PATCH",
        headers: { ...asAda.headers, "content-type": "application/json" },
        body: JSON.stringify({ recording: { title } })
      })
      await world.clock.advance({ by: "PT1H" })
      seen.push(world.id)
    })
  }

  test("are made in its own world, which ends with the test", async ({ emulator }) => {
    expect(new Set(seen).size).toBe(2)
    const gone = await Promise.all(seen.map((id) => emulator.fetch(`/worlds/${id}/_emulator`)))
    expect(gone.map(({ status }) => status)).toEqual([404, 404])
  })
})

test("a test may remove its world itself", async ({ world }) => {
  await world.remove()
  expect((await world.fetch("/_emulator")).status).toBe(404)
})

describe("options of a describe", () => {
  test.override({ worldOptions: { now: "2030-06-01T12:00:00.000Z", config: { vendor: "Acme" } } })

  test("replace the file's options", async ({ world }) => {
    const view = await world.world()
    expect(view).toMatchObject({ now: "2030-06-01T12:00:00.000Z", config: { vendor: "Acme" }, tokens: {} })
  })
})

describe("a world that is made in another way", () => {
  test.override("world", async ({ emulator, worldOptions }, { onCleanup }) => {
    const world = await emulator.createWorld(worldOptions)
    onCleanup(() => world.remove())
    await world.sinks.respond("crm", [500])
    await world.addToFolder("vip", recordingUuid)
    await world.clock.advance({ by: "PT2M" })
    return world
  })

  test("replaces the fixture's, with the same options", async ({ world }) => {
    const [delivery] = await world.deliveries()
    expect(delivery).toHaveAttemptsAt("0", "1m")
    expect(delivery).not.toBePermanentlyFailed()
  })
})
