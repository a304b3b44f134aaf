import { appendFileSync } from "node:fs"
import { test } from "@tapedeck/emulator/vitest"
import { expect } from "vitest"
import { recording } from "../fixtures.mjs"

export const suite = () =>
  test("the project's options, a world of its own, and matchers on vitest's expect", async ({ emulator, world }) => {
    appendFileSync("emulators.txt", `${emulator.url}\n`)
    await world.addToFolder("vip", recording)
    await world.clock.advance({ until: "idle" })
    const deliveries = await world.deliveries()
    expect(deliveries).toHaveLength(1)
    expect(deliveries[0]).toHaveAttemptsAt("0", "1m")
    expect(deliveries[0]).toHaveValidSignatures("s3cret")
  })
