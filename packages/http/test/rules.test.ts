import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import type { Sent } from "./shapes.ts"
import { makeWorld, type TestWorld } from "./world.ts"

const json = { "content-type": "application/json" }
const patch = (body: string): Sent => ({ method: "PATCH", headers: json, body })

describe("the rule by which a request was refused", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })

  it.each<[string, number, string, Sent, string]>([
    ["no token", 401, "/api/v2/recordings", { as: null }, "Authentication 3"],
    ["an account without API access", 403, "/api/v2/recordings", { as: "ned" }, "General rules 1"],
    ["a member at an admin's endpoint", 403, "/api/v2/users", { as: "bob" }, "Authentication 4"],
    ["an unknown path", 404, "/api/v2/nothing", {}, "R2"],
    ["an id that is no UUID", 404, "/api/v2/recordings/x/download", {}, "R5"],
    ["an unknown UUID", 404, `/api/v2/recordings/${ids.unknown}/transcript`, {}, "R4"],
    ["an unknown UUID, in v1", 404, `/api/v1/recordings/${ids.unknown.toUpperCase()}`, {}, "R4"],
    ["an unknown address", 404, "/api/v2/users/search?email=unknown@acme.test", {}, "Errors"],
    ["an unknown public page", 404, "/r/x", { as: null }, "W12"],
    ["a method that the path does not have", 405, "/api/v2/recordings", { method: "POST" }, "R20"],
    ["a page that is none", 400, "/api/v2/recordings?page=0", {}, "R9"],
    ["a provider without a ticket", 400, "/api/v2/recordings?provider=zendesk", {}, "R10"],
    ["a ticket given twice, and a wrong page", 400, "/api/v2/recordings?page=0&ticket_id=1&ticket_id=2", {}, "R10"],
    ["an address that is missing", 400, "/api/v2/users/search", {}, "R16"],
    ["an empty body", 400, `/api/v2/recordings/${ids.bobs}`, patch(""), "R11"],
    ["a value that is not allowed", 422, `/api/v2/recordings/${ids.bobs}`, patch('{"recording":{"title":""}}'), "R11"],
    ["another type of body", 415, `/api/v2/recordings/${ids.bobs}`, { method: "PATCH", body: "x" }, "R20"],
    ["no file yet", 409, `/api/v2/recordings/${ids.adas}/download`, {}, "R12"],
    [
      "a range past the end",
      416,
      `/api/v2/recordings/${ids.bobs}/download`,
      { headers: { range: "bytes=999-" } },
      "R12"
    ],
    ["a member at a setting of admins", 403, "/api/settings/users", { as: "bob" }, "S1"],
    ["no API access, at a setting", 403, "/api/settings/folders", { as: "ned" }, "General rules 1"],
    ["an unknown folder", 404, "/api/settings/folders/x", {}, "S1"],
    ["an unknown parameter of a setting", 400, "/api/settings/folders?provider=x", {}, "S1"]
  ])("is reported for %s: %i at %s", async (_, status, path, sent, rule) => {
    expect((await world.fetch(path, sent)).status).toBe(status)
    expect(world.log.at(-1)).toMatchObject({ status, rule })
  })

  it("is absent for a request that was not refused", async () => {
    expect((await world.fetch("/api/v2/recordings")).status).toBe(200)
    expect(world.log.at(-1)?.rule).toBeUndefined()
  })
})
