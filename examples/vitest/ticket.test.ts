import { Tapedeck } from "@tapedeck/client"
import { expect, test } from "vitest"
import { linesOf } from "./ticket.ts"
import { startWorld } from "./world.ts"

test("a ticket has its recordings, also where the first request is answered with 503", async () => {
  const world = await startWorld()
  const tapedeck = new Tapedeck({ baseUrl: world.url, token: "ada-token" })
  expect(await linesOf(tapedeck, "4711")).toEqual(["Checkout fails (7d0f3c1e)"])
  expect(await linesOf(tapedeck, "4712")).toEqual([])
  await world.faults.create({ match: { path: "/api/v2/recordings" }, respond: [503] })
  expect(await linesOf(tapedeck, "4711")).toEqual(["Checkout fails (7d0f3c1e)"])
})
