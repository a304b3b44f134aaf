// Takes long: starts first.
import { expect, test } from "vitest"
import { cluster } from "../src/cluster/cluster.ts"

test("three nodes on a PostgreSQL lose nothing, and none overwrites what another has taken over, when nodes are killed, stopped or disconnected", async () => {
  const seed = 20_261_121
  const { disturbances, faults, recordings } = await cluster({
    seed,
    nodes: 3,
    disturbances: ["stop", "cut", "kill", "restart"]
  })
  expect(faults, `pnpm test:crash --store postgres --seed ${seed}`).toEqual([])
  expect(Object.values(disturbances).every((count) => count > 0)).toBe(true)
  expect(recordings).toBeGreaterThan(10)
})
