import { Context } from "effect"
import { expect, it } from "vitest"
import { AppOptions, defaultAppOptions, RefusalCounter } from "../src/index.ts"
import { ids } from "./fixtures.ts"
import { handler, makeWorld } from "./world.ts"

const options = { maxRefusals: 300, perMs: 60_000, maxKeys: 3 }

/** A world whose refusals are counted. */
const makeTrial = async (maxRefusals = options.maxRefusals) => {
  const world = await makeWorld()
  const context = Context.add(world.context, AppOptions, {
    ...defaultAppOptions,
    refusals: new RefusalCounter({ ...options, maxRefusals })
  })
  const ask = async (path: string, token: string | null, init: RequestInit = {}) => {
    const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), ...(init.headers as object) }
    const response = await handler(new Request(`http://localhost${path}`, { ...init, headers }), context)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return { ...world, ask }
}

it("the 301st refused request of an address within a minute is 429, and 401 again after it", async () => {
  const { ask, wait } = await makeTrial()
  for (let n = 0; n < 300; n++) expect((await ask("/api/v2/recordings", "unknown")).status).toBe(401)
  const refused = await ask("/api/v2/recordings", "unknown")
  expect(refused).toMatchObject({ status: 429, body: { error: "Too many refused requests" } })
  expect(refused.headers.get("retry-after")).toBe("60")
  expect(await ask("/api/v1/recordings", null)).toMatchObject({
    status: 429,
    body: { error: { message: "Too many refused requests", code: 429 } }
  })
  await wait(59_999)
  expect((await ask("/api/v2/recordings", "unknown")).headers.get("retry-after")).toBe("1")
  await wait(1)
  expect((await ask("/api/v2/recordings", "unknown")).status).toBe(401)
})

it("refusals of a valid token are counted by the token, and a valid request is never refused", async () => {
  const { ask } = await makeTrial(2)
  const refusals: ReadonlyArray<readonly [string, RequestInit, number]> = [
    ["/api/v2/users", {}, 403],
    ["/api/v2/nothing", {}, 404]
  ]
  for (const [path, init, status] of refusals) expect((await ask(path, "bob-token", init)).status).toBe(status)
  expect((await ask("/api/v2/users", "bob-token")).status).toBe(429)
  expect((await ask("/api/v2/recordings?page=0", "bob-token")).status).toBe(429)
  expect((await ask("/api/v2/recordings", "bob-token")).status).toBe(200)
  // That there is no such recording, or no file of it yet, is an answer to a valid request.
  expect((await ask(`/api/v2/recordings/${ids.unknown}`, "bob-token")).status).toBe(404)
  // Neither the address nor another token has used up anything.
  expect((await ask("/api/v2/recordings?page=0", "ada-token")).status).toBe(400)
  expect((await ask("/api/v2/recordings", "unknown")).status).toBe(401)
})

it("no audit entry is written for a revoked token beyond the limit", async () => {
  const { ask, memory } = await makeTrial(1)
  expect((await ask("/api/v2/recordings", "unknown")).status).toBe(401)
  expect((await ask("/api/v2/recordings", "gone-token")).status).toBe(429)
  expect(memory.state().auditEntries.valuesArray()).toEqual([])
})

it("refusals are unlimited unless the options set a limit", async () => {
  const world = await makeWorld()
  for (let n = 0; n < 301; n++) expect((await world.fetch("/api/v2/recordings", { as: null })).status).toBe(401)
})

it("the maximum number of keys is counted separately, and all others together until their windows end", () => {
  const counter = new RefusalCounter({ maxRefusals: 1, perMs: 100, maxKeys: 3 })
  const isRefused = (key: string, now: number) => {
    if (counter.waitMs(key, now) > 0) return true
    counter.count(key, now)
    return false
  }
  expect(["a", "b", "c"].map((key) => isRefused(key, 0))).toEqual([false, false, false])
  expect(isRefused("d", 1)).toBe(false)
  expect(isRefused("e", 2)).toBe(true)
  expect(isRefused("a", 99)).toBe(true)
  expect(["a", "d", "e"].map((key) => isRefused(key, 101))).toEqual([false, false, false])
})

it.each([512, 513])("512 characters of a User-Agent of %i are kept in the audit log", async (length) => {
  const world = await makeWorld()
  await world.ask(`/api/v2/recordings/${ids.bobs}`, {
    json: { recording: { title: "New" } },
    headers: { "user-agent": "u".repeat(length) }
  })
  expect(world.memory.state().auditEntries.valuesArray().at(-1)?.userAgent).toBe("u".repeat(512))
})

it("a count that starts in the future is treated as expired, as after the clock was set back", () => {
  const counter = new RefusalCounter({ ...options, maxRefusals: 1 })
  counter.count("a", 3_600_000)
  expect(counter.waitMs("a", 3_600_000)).toBe(60_000)
  expect(counter.waitMs("a", 0)).toBe(0)
  counter.count("a", 0)
  expect(counter.waitMs("a", 0)).toBe(60_000)
})
