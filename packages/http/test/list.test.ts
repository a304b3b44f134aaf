import { beforeAll, describe, expect, it } from "vitest"
import { ids, uuidOf } from "./fixtures.ts"
import { makeWorld, type TestWorld } from "./world.ts"

const many = (count: number) => ({
  accounts: [{ name: "Acme" }],
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
  recordings: Array.from({ length: count }, (_, i) => ({
    uuid: uuidOf(i + 1),
    // Two share each instant: their ids tell them apart (R7).
    created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(i / 2))).toISOString()
  }))
})

describe("GET /api/v2/recordings", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })
  const uuids = async (path: string, as = "ada") =>
    (await world.ask(path, { as })).body.records.map((record: { uuid: string }) => record.uuid)

  it("lists the account's recordings to an admin, newest first (R7)", async () => {
    expect(await uuids("/api/v2/recordings")).toEqual([ids.freshchat, ids.live, ids.unowned, ids.adas, ids.bobs])
  })

  it("lists only a member's own recordings (General rules, 6)", async () => {
    expect(await uuids("/api/v2/recordings", "bob")).toEqual([ids.live, ids.bobs])
  })

  it.each([
    ["the native id of whichever platform", "ticket_id=4711", [ids.freshchat, ids.bobs]],
    ["a follow-up's id (N6)", "ticket_id=4712", [ids.bobs]],
    ["an id exactly", "ticket_id=471", []],
    ["an id of one platform", "ticket_id=4711&provider=zendesk", [ids.bobs]],
    ["freshchat for freshdesk_chat (N4)", "ticket_id=4711&provider=freshchat", [ids.freshchat]],
    ["freshdesk_chat by its own name", "ticket_id=4711&provider=freshdesk_chat", [ids.freshchat]],
    ["an issue", "ticket_id=SUP-1&provider=jira", [ids.unowned]],
    ["nothing of another account", "ticket_id=4711&provider=intercom", []]
  ])("finds recordings by ticket: %s", async (_, query, found) => {
    expect(await uuids(`/api/v2/recordings?${query}`)).toEqual(found)
  })

  it("finds only what a member may see by ticket", async () => {
    expect(await uuids("/api/v2/recordings?ticket_id=4711", "bob")).toEqual([ids.bobs])
  })

  it.each([
    ["page=0", "page must be an integer of at least 1"],
    ["page=-1", "page must be an integer of at least 1"],
    ["page=1.5", "page must be an integer of at least 1"],
    ["page=1e2", "page must be an integer of at least 1"],
    ["page=", "page must be an integer of at least 1"],
    ["page=one", "page must be an integer of at least 1"],
    ["page=%201", "page must be an integer of at least 1"],
    ["page=99999999999999999999", "page must be an integer of at least 1"],
    ["page=1&page=2", /^page /],
    ["ticket_id=", "ticket_id must not be empty"],
    ["ticket_id=1&ticket_id=2", /^ticket_id /],
    ["ticket_id=1&provider=tapedeck", /^provider must be one of zendesk, /],
    ["ticket_id=1&provider=", /^provider must be one of /],
    ["provider=zendesk", "provider needs a ticket_id"],
    ["page=x&ticket_id=", "page must be an integer of at least 1; ticket_id must not be empty"]
  ])("refuses ?%s with 400 (R9, R10)", async (query, message) => {
    const { status, body } = await world.ask(`/api/v2/recordings?${query}`)
    expect(status).toBe(400)
    expect(body.error).toEqual(typeof message === "string" ? message : expect.stringMatching(message))
  })

  it("ignores unknown parameters", async () => {
    expect((await world.ask("/api/v2/recordings?sort=title&page=1")).status).toBe(200)
  })
})

describe("pages of a list", () => {
  it("have 100 records by default (R6), and their position (R8)", async () => {
    const world = await makeWorld({ fixtures: many(250) })
    const first = (await world.ask("/api/v2/recordings")).body
    expect(first.pagination).toEqual({
      count: 250,
      page: 1,
      items: 100,
      pages: 3,
      last_page: 3,
      from: 1,
      to: 100,
      next_page: 2
    })
    expect(first.records[0].uuid).toBe(uuidOf(250))
    const last = (await world.ask("/api/v2/recordings?page=3")).body
    expect(last.pagination).toEqual({
      count: 250,
      page: 3,
      items: 100,
      pages: 3,
      last_page: 3,
      from: 201,
      to: 250,
      prev_page: 2
    })
    expect(last.records.at(-1).uuid).toBe(uuidOf(1))
    expect(last.records).toHaveLength(50)
  })

  it("are empty past the end, with a link to the last one (R9)", async () => {
    const world = await makeWorld({ config: { pageSize: 2 } })
    const { status, body } = await world.ask("/api/v2/recordings?page=9")
    expect(status).toBe(200)
    expect(body).toEqual({
      pagination: { count: 5, page: 9, items: 2, pages: 3, last_page: 3, from: 0, to: 0, prev_page: 3 },
      records: []
    })
  })

  it("are one if the list is empty", async () => {
    const world = await makeWorld({ fixtures: many(0) })
    expect((await world.ask("/api/v2/recordings")).body).toEqual({
      pagination: { count: 0, page: 1, items: 100, pages: 1, last_page: 1, from: 0, to: 0 },
      records: []
    })
  })

  it("show a change at once, without stale data", async () => {
    const world = await makeWorld()
    const title = async () => (await world.ask("/api/v2/recordings")).body.records[4].title
    expect(await title()).toBe("Checkout fails")
    await world.ask(`/api/v2/recordings/${ids.bobs}`, { json: { recording: { title: "Renamed" } } })
    expect(await title()).toBe("Renamed")
  })
})
