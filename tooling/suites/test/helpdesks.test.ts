import { expect, test } from "vitest"
import { helpdesks } from "../src/helpdesks/helpdesks.ts"

test("a server that is killed twice writes each recording into its helpdesk, over refusals and lost answers", async () => {
  const seed = 20_261_129
  const options = { seed, recordings: 64, kills: 2 }
  const { faults, late, refused } = await helpdesks(options)
  const again = `node --conditions=source tooling/suites/src/helpdesks/main.ts --recordings 64 --kills 2 --seed ${seed}`
  expect(faults, again).toEqual([])
  expect(refused).toBeGreaterThan(0)
  expect(late).toBeGreaterThan(0)
})
