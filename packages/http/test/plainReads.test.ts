import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

/** Plain reads take a shorter way. The same request with a parameter that nobody knows is the same for the contract, but not plain. */
const usual = (path: string) => `${path}${path.includes("?") ? "&" : "?"}unknown=1`

const reads = ["v1", "v2"].flatMap((version) => [
  `/api/${version}/recordings?page=1`,
  `/api/${version}/recordings`,
  `/api/${version}/recordings/${ids.bobs}`,
  `/api/${version}/recordings/${ids.adas}`,
  `/api/${version}/recordings/${ids.foreign}`,
  `/api/${version}/recordings/${ids.unknown}`,
  `/api/${version}/recordings/${"-".repeat(36)}`
])

describe.each(reads)("%s, a plain read", (path) => {
  it.each(["ada", "bob", "nobody", "ned", "nia"])("has the answer of the usual one, for %s", async (as) => {
    const { ask } = await makeWorld({ config: { pageSize: 2 } })
    const [one, other] = [await ask(path, { as }), await ask(usual(path), { as })]
    expect(one.body).toEqual(other.body)
    expect(one.status).toBe(other.status)
    const headers = (answer: typeof one) => [...answer.headers].filter(([name]) => name !== "x-request-id")
    expect(headers(one)).toEqual(headers(other))
  })

  it("has the same entries in the audit log and in the request log", async () => {
    const traces = async (path: string) => {
      const { ask, log, memory } = await makeWorld()
      await ask(path)
      await ask(path, { as: "ned" })
      return {
        audit: memory.state().auditEntries.valuesArray(),
        log: log.map(({ caller, method, rule, status }) => ({ method, status, rule, user: caller?.user.email }))
      }
    }
    const one = await traces(path)
    expect(one).toEqual(await traces(usual(path)))
    expect(one.audit).toHaveLength(1)
    expect(one.log[1]).toMatchObject({ status: 403, user: "ned@acme.test" })
  })
})

it("finds a recording by its UUID in either case", async () => {
  const { ask } = await makeWorld({
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
      recordings: [{ uuid: "abcdef00-0000-4000-8000-0000000000ff" }]
    }
  })
  const path = "/api/v2/recordings/ABCDEF00-0000-4000-8000-0000000000ff"
  expect((await ask(path)).body).toMatchObject({ uuid: "abcdef00-0000-4000-8000-0000000000ff" })
})

it.each(["page=01", "page=1.0", "page=1&page=2", "page=", "page=9007199254740993"])(
  "leaves a list with %s to the usual way",
  async (query) => {
    const { ask } = await makeWorld()
    const usual = await ask(`/api/v2/recordings?${query}&unknown=1`)
    expect((await ask(`/api/v2/recordings?${query}`)).body).toEqual(usual.body)
  }
)
