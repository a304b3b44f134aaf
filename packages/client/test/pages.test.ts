import { describe, expect, it } from "vitest"
import { TapedeckError } from "../src/index.ts"
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

/** A list of two records a page that changes before each answer but the first, as `change` says. */
const changing = (uuids: Array<string>, change: (uuids: Array<string>, request: number) => void) => {
  const list = listOf(uuids)
  let requests = 0
  return makeClient([
    (request) => {
      requests += 1
      if (requests > 1) change(uuids, requests)
      return list(request)
    }
  ])
}

describe("an iteration while records are deleted", () => {
  it("goes back a page if the count fell, and returns the record that moved there", async () => {
    const { seen, tapedeck } = changing(["a", "b", "c", "d", "e", "f"], (uuids, request) => {
      if (request === 2) uuids.shift()
    })
    expect((await uuidsOf(tapedeck.recordings.list())).sort()).toEqual(["a", "b", "c", "d", "e", "f"])
    expect(seen.map(({ url }) => url.searchParams.get("page"))).toEqual([null, "2", "1", "2", "3"])
  })

  it("goes back as many pages as the deleted records fill", async () => {
    const { seen, tapedeck } = changing([..."abcdefghij"], (uuids, request) => {
      if (request === 4) uuids.splice(0, 3)
    })
    expect((await uuidsOf(tapedeck.recordings.list())).sort()).toEqual([..."abcdefghij"])
    expect(seen.map(({ url }) => url.searchParams.get("page"))).toEqual([null, "2", "3", "4", "2", "3", "4"])
  })

  it("goes back from a page that is now behind the end", async () => {
    const { tapedeck } = changing([..."abc"], (uuids, request) => {
      if (request === 2) uuids.splice(0, 2)
    })
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual(["a", "b", "c"])
  })

  it("goes back no further than the page at which it started", async () => {
    const { seen, tapedeck } = changing([..."abcdefgh"], (uuids, request) => {
      if (request === 2) uuids.splice(0, 4)
    })
    await uuidsOf(tapedeck.recordings.list({ page: 2 }))
    expect(Math.min(...seen.map(({ url }) => Number(url.searchParams.get("page"))))).toBe(2)
  })

  it("returns no segment twice, which has no id, if a transcript became shorter", async () => {
    const page = (number: number, count: number, next?: number) =>
      reply(200, {
        pagination: { count, page: number, ...(next && { next_page: next }) },
        segments: [{ text: `${number}` }]
      })
    const { seen, tapedeck } = makeClient([page(1, 3, 2), page(2, 2)])
    const texts: Array<string> = []
    for await (const { text } of tapedeck.recordings.transcript("r")) texts.push(text)
    expect(texts).toEqual(["1", "2"])
    expect(seen).toHaveLength(2)
  })

  it("returns every record that stays, once, whatever is deleted or added between two pages, and ends", async () => {
    const random = (seed: number) => () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return seed / 2 ** 32
    }
    for (let seed = 1; seed <= 300; seed += 1) {
      const next = random(seed)
      const start = Array.from({ length: 1 + Math.floor(next() * 30) }, (_, index) => `r${index}`)
      const list = [...start]
      const { tapedeck } = changing(list, (uuids, request) => {
        const changes = Math.floor(next() * 3)
        for (let n = 0; n < changes; n += 1) {
          if (next() < 0.6) uuids.splice(Math.floor(next() * uuids.length), 1)
          else uuids.unshift(`new ${request} ${n}`)
        }
      })
      const returned = await uuidsOf(tapedeck.recordings.list())
      expect(new Set(returned).size, `seed ${seed}`).toBe(returned.length)
      const stayed = start.filter((uuid) => list.includes(uuid))
      expect(returned, `seed ${seed}`).toEqual(expect.arrayContaining(stayed))
    }
  })
})

/** A service that answers each page with these bodies in turn, the last one again and again; it ends after 5,000 requests. */
const pagesOf = (...bodies: ReadonlyArray<(number: number) => object>) => {
  let number = 0
  return makeClient(
    [
      () => {
        number += 1
        if (number > 5000) throw new Error("asked 5,000 times")
        return Response.json(bodies[Math.min(number, bodies.length) - 1]!(number))
      }
    ],
    { maxRetries: 0 }
  )
}

const two = [{ uuid: "a" }, { uuid: "b" }]

describe("an iteration ends", () => {
  it.each<[string, (number: number) => object, Array<string>, number]>([
    [
      "next_page stays the same",
      () => ({ pagination: { count: 9, page: 1, next_page: 1 }, records: two }),
      ["a", "b"],
      1
    ],
    [
      "next_page stays behind",
      () => ({ pagination: { count: 9, page: 3, next_page: 2 }, records: two }),
      ["a", "b"],
      1
    ],
    [
      "next_page is no number",
      () => ({ pagination: { count: 9, page: 1, next_page: null }, records: two }),
      ["a", "b"],
      1
    ],
    ["pages are empty", (n) => ({ pagination: { count: 9, page: n, next_page: n + 1 }, records: [] }), [], 1],
    ["a page repeats", (n) => ({ pagination: { count: 5, page: n, next_page: n + 1 }, records: two }), ["a", "b"], 3],
    ["next_cursor stays the same", () => ({ pagination: { count: 9, next_cursor: "x" }, records: two }), ["a", "b"], 2],
    ["cursors repeat", (n) => ({ pagination: { count: 9, next_cursor: "xy"[n % 2] }, records: two }), ["a", "b"], 3],
    [
      "cursors of empty pages repeat",
      (n) => ({ pagination: { count: 9, next_cursor: "xy"[n % 2] }, records: [] }),
      [],
      3
    ]
  ])("if %s", async (_, body, uuids, requests) => {
    const { seen, tapedeck } = pagesOf(body)
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual(uuids)
    expect(seen).toHaveLength(requests)
  })

  it("by nextPage if a page does not advance", async () => {
    const { seen, tapedeck } = pagesOf(() => ({ pagination: { count: 9, page: 1, next_page: 2 }, records: two }))
    let pages = 0
    for (let page: object | null = await tapedeck.recordings.list(); page !== null; pages += 1)
      page = await (page as { nextPage: () => Promise<object | null> }).nextPage()
    expect(pages).toBe(2)
    expect(seen).toHaveLength(2)
  })

  it("after as many new records as there are, if a whole page of others arrived meanwhile", async () => {
    const uuids = ["a", "b", "c", "d"]
    let isFirst = true
    const list = listOf(uuids)
    const { tapedeck } = makeClient([
      (request) => {
        if (!isFirst && uuids.length === 4) uuids.unshift("x", "y")
        isFirst = false
        return list(request)
      }
    ])
    expect(await uuidsOf(tapedeck.recordings.list())).toEqual(["a", "b", "c", "d"])
  })

  it("with an error after 1,000 pages in a row without a new record; a search by cursor may have 999", async () => {
    const empty = (n: number) => ({ pagination: { count: 9, next_cursor: String(n) }, records: [] })
    const unending = pagesOf(empty)
    await expect(uuidsOf(unending.tapedeck.recordings.list())).rejects.toThrow("1000 pages added nothing")
    expect(unending.seen).toHaveLength(1000)
    const found = pagesOf(...Array.from({ length: 999 }, () => empty), () => ({
      pagination: { count: 9 },
      records: two
    }))
    expect(await uuidsOf(found.tapedeck.recordings.list())).toEqual(["a", "b"])
  })
})

it.each([
  [{}, "`pagination`"],
  [{ records: [] }, "`pagination`"],
  [{ pagination: null, records: [] }, "`pagination`"],
  [{ pagination: "1 of 2", records: [] }, "`pagination`"],
  [{ pagination: { count: 1 } }, "list of records"],
  [{ pagination: { count: 1 }, records: null }, "list of records"],
  [[], "`pagination`"],
  ["text", "`pagination`"],
  [null, "`pagination`"],
  [undefined, "`pagination`"]
])("a body that is no page is refused by name: %j", async (body, missing) => {
  const { tapedeck } = makeClient([reply(200, body === "text" ? '"text"' : body)])
  const error = await tapedeck.recordings.list().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(TapedeckError)
  expect(error).toMatchObject({ status: 200, requestId: "req-1" })
  expect((error as Error).message).toContain(missing)
  await expect(uuidsOf(tapedeck.recordings.list())).rejects.toThrow(TapedeckError)
})

it("a transcript's segments can be iterated", async () => {
  const segments = [{ start_seconds: 0, text: "Hello" }]
  const { tapedeck } = makeClient([reply(200, { status: "ready", pagination: { count: 1 }, segments })])
  const texts: Array<string> = []
  for await (const { text } of tapedeck.recordings.transcript("r")) texts.push(text)
  expect(texts).toEqual(["Hello"])
})
