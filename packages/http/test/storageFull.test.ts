import { StorageFull } from "@tapedeck/core"
import { expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

/** A world whose disk is full from now on, with a rate limit, whose windows are written too. */
const fullWorld = async () => {
  let full = false
  const failure = () => (full ? new StorageFull({ path: "/data/tapedeck.db" }) : null)
  const world = await makeWorld({ failure, config: { rateLimit: { requests: 1_000, perMs: 60_000 } } })
  full = true
  return Object.assign(world, {
    free: () => {
      full = false
    }
  })
}

const refusal = { error: "There is not enough storage space left" }

it("on a full disk writes and API downloads are 507 with a named error", async () => {
  const world = await fullWorld()
  const patch = { json: { recording: { title: "Other" } } }
  for (const [path, sent] of [
    [`/api/v2/recordings/${ids.bobs}`, patch],
    [`/api/v2/recordings/${ids.bobs}/download`, {}],
    ["/api/settings/recordings", { method: "POST", json: { title: "New" } }],
    ["/api/settings/folders", { method: "POST", json: { name: "New" } }]
  ] as const) {
    const response = await world.fetch(path, sent)
    expect([path, response.status, await response.json()]).toEqual([path, 507, refusal])
  }
  expect(world.defects.join()).toContain('["No space is left",{"path":"/data/tapedeck.db"}]')
  world.free()
  expect((await world.ask(`/api/v2/recordings/${ids.bobs}`, patch)).status).toBe(200)
  expect((await world.ask(`/api/v2/recordings/${ids.bobs}/download`)).status).toBe(200)
})

it("on a full disk other reads continue, with a rate limit too, and refusals are unchanged", async () => {
  const world = await fullWorld()
  for (const path of [
    "/api/v2/recordings",
    `/api/v2/recordings/${ids.bobs}`,
    `/api/v2/recordings/${ids.bobs}/transcript`,
    "/api/v1/recordings?platform=zendesk&ticket_id=4711",
    "/api/settings/folders",
    `/api/settings/recordings/${ids.bobs}/transcript`
  ]) {
    expect([path, (await world.fetch(path)).status]).toEqual([path, 200])
  }
  expect((await world.fetch("/api/v2/recordings", { as: "gone" })).status).toBe(401)
  expect((await world.fetch("/api/v2/users", { as: "bob" })).status).toBe(403)
})

it("on a full disk public pages and videos are served, and views are not counted", async () => {
  const world = await fullWorld()
  const seen = async () =>
    world.memory
      .state()
      .recordings.valuesArray()
      .find(({ uuid }) => uuid === ids.bobs)!.impressionsCount
  const before = await seen()
  for (const path of [
    `/r/${ids.bobs}`,
    `/r/${ids.bobs}/video`,
    `/r/${ids.bobs}/captions`,
    `/r/${ids.bobs}/thumbnail`
  ]) {
    expect([path, (await world.fetch(path, { as: null })).status]).toEqual([path, 200])
  }
  expect((await world.fetch(`/r/${ids.unknown}`, { as: null })).status).toBe(404)
  expect(await seen()).toBe(before)
  world.free()
  await world.fetch(`/r/${ids.bobs}`, { as: null })
  expect(await seen()).toBe(before + 1)
})
