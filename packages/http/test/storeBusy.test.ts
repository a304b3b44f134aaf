import { StoreBusy } from "@tapedeck/core"
import { expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

it("a request whose transaction conflicted at each try is 503 with Retry-After, and the log names its route", async () => {
  let failure: StoreBusy | null = null
  const world = await makeWorld({ failure: () => failure })
  failure = new StoreBusy({ tries: 20 })
  const patch = { json: { recording: { title: "Other" } } }
  const busy = await world.ask(`/api/v2/recordings/${ids.bobs}`, patch)
  expect([busy.status, busy.headers.get("retry-after"), busy.body]).toEqual([
    503,
    "1",
    { error: "The database is busy: try again in a second" }
  ])
  expect(world.defects.map((line) => JSON.parse(line))).toMatchObject([
    { level: "ERROR", annotations: { route: "/api/v2/recordings/:uuid", tries: 20, method: "PATCH" } }
  ])
  failure = null
  expect((await world.ask(`/api/v2/recordings/${ids.bobs}`, patch)).status).toBe(200)
})
