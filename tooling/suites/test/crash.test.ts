import { expect, test } from "vitest"
import { crash } from "../src/crash/crash.ts"

test("a server that is killed five times under load loses nothing, and sends no unrecorded delivery", async () => {
  const seed = 20_261_121
  const { faults, recordings } = await crash({ seed, kills: 5 })
  expect(faults, `node --conditions=source tooling/suites/src/crash/main.ts --kills 5 --seed ${seed}`).toEqual([])
  expect(recordings).toBeGreaterThan(10)
})
