import { describe, expect, it } from "vitest"
import { hashOf } from "../src/pages.ts"
import type { Seen } from "./support/fake.ts"
import { makeClient, reply } from "./support/fake.ts"

/** A service with this list, newest first, two a page; `arrive` adds one at the front before each answer. */
const listOf = (uuids: Array<string>, arrive?: () => string) => (request: Seen) => {
  if (arrive !== undefined && request.url.searchParams.has("page")) uuids.unshift(arrive())
  const page = Number(request.url.searchParams.get("page") ?? 1)
  const records = uuids.slice((page - 1) * 2, page * 2).map((uuid) => ({ uuid }))
  const pages = Math.max(1, Math.ceil(uuids.length / 2))
  const from = records.length === 0 ? 0 : (page - 1) * 2 + 1
  const pagination = { count: uuids.length, page, items: 2, pages, from, ...(page < pages && { next_page: page + 1 }) }
  return Response.json({ pagination, records })
}

const uuidsOf = async (records: AsyncIterable<{ readonly uuid: string }>) => {
  const uuids: Array<string> = []
  for await (const { uuid } of records) uuids.push(uuid)
  return uuids
}

describe("a list", () => {
  it("is one page when awaited, exactly as the API returned it", async () => {
    const body = { pagination: { count: 1, page: 1, items: 2, pages: 1 }, records: [{ uuid: "a" }] }
    const { tapedeck } = makeClient([reply(200, body)])
    const page = await tapedeck.recordings.list()
    expect(page).toEqual(body)
    expect(JSON.parse(JSON.stringify(page))).toEqual(body)
    expect(page.items).toBe(page.records)
    expect(page.hasNextPage).toBe(false)
    expect(await page.nextPage()).toBeNull()
  })

  it("continues page by page, with the same query", async () => {
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c"])])
    const page = await tapedeck.recordings.list({ ticket_id: "4711" })
    const next = await page.nextPage()
    expect(next?.records).toEqual([{ uuid: "c" }])
    expect(seen.map(({ url }) => url.search)).toEqual(["?ticket_id=4711", "?ticket_id=4711&page=2"])
  })

  it("is iterated lazily, one request a page", async () => {
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"])])
    const requests: Array<number> = []
    for await (const _ of tapedeck.recordings.list()) requests.push(seen.length)
    expect(requests).toEqual([1, 1, 2, 2, 3])
  })

  it("returns the records in order to concurrent calls of next", async () => {
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"])])
    const records = tapedeck.recordings.list()[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 7 }, () => records.next()))
    const uuids = results.map(({ done, value }) => (done ? undefined : value.uuid))
    expect(uuids).toEqual(["a", "b", "c", "d", "e", undefined, undefined])
    expect(seen).toHaveLength(3)
  })

  it("ends after the error of a refused page", async () => {
    const { tapedeck } = makeClient([listOf(["a", "b", "c"]), reply(403, { error: "no" })])
    const records = tapedeck.recordings.list()[Symbol.asyncIterator]()
    for (const uuid of ["a", "b"]) expect(await records.next()).toEqual({ done: false, value: { uuid } })
    await expect(records.next()).rejects.toThrow("no")
    expect(await records.next()).toEqual({ done: true, value: undefined })
  })

  it("distinguishes records whose ids have the same hash", async () => {
    const ids = new Map<number, string>()
    let twin = ""
    for (let n = 0; twin === ""; n += 1) {
      const id = `id ${n}`
      if (ids.has(hashOf(id))) twin = id
      else ids.set(hashOf(id), id)
    }
    const list = ["a", ids.get(hashOf(twin))!, "b", twin, "c", "d"]
    const { tapedeck } = makeClient([listOf([...list])])
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual(list)
    let arrived = 0
    const arrive = () => {
      arrived += 1
      return `new ${arrived}`
    }
    const shifted = makeClient([listOf([...list], arrive)])
    expect(await uuidsOf(shifted.tapedeck.recordings.list())).toEqual(list)
  })

  it("requests no further page after a break", async () => {
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"])])
    for await (const { uuid } of tapedeck.recordings.list()) if (uuid === "b") break
    expect(seen).toHaveLength(1)
  })

  it("returns the first records as an array, up to the given number", async () => {
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"])])
    expect(await tapedeck.recordings.list().all({ limit: 3 })).toEqual([{ uuid: "a" }, { uuid: "b" }, { uuid: "c" }])
    expect(seen).toHaveLength(2)
    await expect(tapedeck.recordings.list().all({ limit: 0 })).rejects.toThrow(RangeError)
  })

  it("returns each record once while others are added, and ends", async () => {
    let number = 0
    const { seen, tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"], () => `new${number++}`)])
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual(["a", "b", "c", "d", "e"])
    expect(seen.length).toBeLessThan(10)
  })

  it("continues to its end from a page in the middle", async () => {
    const { tapedeck } = makeClient([listOf(["a", "b", "c", "d", "e"])])
    expect(await uuidsOf(tapedeck.recordings.list({ page: 2 }))).toEqual(["c", "d", "e"])
  })

  it("is empty if there are no records", async () => {
    const { tapedeck } = makeClient([listOf([])])
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual([])
  })
})

it("a transcript's segments can be iterated", async () => {
  const segments = [{ start_seconds: 0, text: "Hello" }]
  const { tapedeck } = makeClient([reply(200, { status: "ready", pagination: { count: 1 }, segments })])
  const texts: Array<string> = []
  for await (const { text } of tapedeck.recordings.transcript("r")) texts.push(text)
  expect(texts).toEqual(["Hello"])
})
