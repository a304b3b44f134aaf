import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld, type TestWorld } from "./world.ts"

/** Who asks. */
const callers = ["ada", "bob", "cy", "oz", "ned", "nia"] as const
type Caller = (typeof callers)[number]

const owners = { bob: ids.bobs, ada: ids.adas, cy: ids.freshchat, unowned: ids.unowned, stranger: ids.foreign }
type Owner = keyof typeof owners

/** ned and nia have no API access; ada is Acme's admin, oz another account's. */
const denied = (caller: Caller) => caller === "ned" || caller === "nia"
const isAdmin = (caller: Caller) => caller === "ada" || caller === "oz"

const sees = (caller: Caller, owner: Owner): boolean => {
  if (caller === "oz") return owner === "stranger"
  if (caller === "ada") return owner !== "stranger"
  return caller === owner
}

const endpoints = {
  "GET /recordings/{uuid}": (uuid: string) => ({ path: `/api/v2/recordings/${uuid}` }),
  "GET /recordings/{uuid}/transcript": (uuid: string) => ({ path: `/api/v2/recordings/${uuid}/transcript` }),
  "GET /recordings/{uuid}/download": (uuid: string) => ({ path: `/api/v2/recordings/${uuid}/download` }),
  "PATCH /recordings/{uuid}": (uuid: string) => ({
    path: `/api/v2/recordings/${uuid}`,
    sent: { json: { recording: { summary: "Seen" } } }
  }),
  "v1 GET /recordings/{uuid}": (uuid: string) => ({ path: `/api/v1/recordings/${uuid}` })
}
type Endpoint = keyof typeof endpoints

/** The whole table: general rules 1 and 6, R4. */
const expected = (endpoint: Endpoint, caller: Caller, owner: Owner): number => {
  if (denied(caller)) return 403
  if (endpoint === "PATCH /recordings/{uuid}" && !isAdmin(caller)) return 403
  if (!sees(caller, owner)) return 404
  return endpoint === "GET /recordings/{uuid}/download" && owner !== "bob" ? 409 : 200
}

describe("caller × endpoint × the recording's owner", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })

  const table = (Object.keys(endpoints) as Array<Endpoint>).flatMap((endpoint) =>
    callers.flatMap((caller) =>
      (Object.keys(owners) as Array<Owner>).map((owner) => [endpoint, caller, owner] as const)
    )
  )

  it.each(table)("%s by %s of a recording of %s has the status of the table", async (endpoint, as, owner) => {
    const { path, sent } = { sent: {}, ...endpoints[endpoint](owners[owner]) }
    expect((await world.ask(path, { as, ...sent })).status).toBe(expected(endpoint, as, owner))
  })

  it.each(
    callers.flatMap((caller) =>
      ["/api/v2/users", "/api/v2/users/search?email=ADA@acme.test"].map((path) => [caller, path] as const)
    )
  )("%s at %s has the status of their role", async (as, path) => {
    const search = path.includes("search")
    const status = !isAdmin(as) ? 403 : search && as === "oz" ? 404 : 200
    expect((await world.ask(path, { as })).status).toBe(status)
  })

  it.each(callers)("the lists of %s contain exactly the recordings that they may see", async (as) => {
    for (const version of ["v1", "v2"]) {
      const { status, body } = await world.ask(`/api/${version}/recordings`, { as })
      expect(status).toBe(denied(as) ? 403 : 200)
      if (status !== 200) continue
      const seen = body.records.map(({ uuid }: { uuid: string }) => uuid)
      const all = [ids.freshchat, ids.live, ids.unowned, ids.adas, ids.bobs]
      const own = { ada: all, bob: [ids.live, ids.bobs], cy: [ids.freshchat], oz: [ids.foreign], ned: [], nia: [] }
      expect(seen).toEqual(own[as])
    }
  })

  it("a refused member gets the reason (Errors, 403)", async () => {
    expect((await world.ask("/api/v2/users", { as: "bob" })).body).toEqual({
      error: "This operation is for admins only"
    })
    expect((await world.ask("/api/v1/recordings", { as: "nia" })).body).toEqual({
      error: { message: "API access is not enabled for this account", code: 403 }
    })
  })
})
