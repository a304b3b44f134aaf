import { expect, test } from "@tapedeck/emulator/vitest"

// Run by `unusedFaults.test.ts`, whose subject is how these tests end.

test("used", async ({ world }) => {
  await world.faults.create({ match: { path: "/api/v2/*" }, respond: [503, 503] })
  expect((await world.fetch("/api/v2/users")).status).toBe(503)
})

test("removed", async ({ world }) => {
  const id = await world.faults.create({ match: { path: "/api/v2/user" }, respond: [503] })
  await world.faults.remove(id)
})

test("unused", async ({ world }) => {
  await world.faults.create({ match: { method: "GET", path: "/api/v2/user" }, respond: [503, "reset"] })
  await world.fetch("/api/v2/users")
})

test("without a world", async ({ world }) => {
  await world.faults.create({ match: {}, respond: [503] })
  await world.remove()
})
