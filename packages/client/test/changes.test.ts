import { expect, test } from "vitest"
import { makeClient, reply } from "./support/fake.ts"

const turns = async () => {
  for (let step = 0; step < 20; step += 1) await new Promise((resolve) => setImmediate(resolve))
}

test("changes open a stream that a proxy ends in order again after 500 ms, and after twice as long each time", async () => {
  const { clock, seen, tapedeck } = makeClient([reply(200, " ", { "content-type": "text/event-stream" })])
  const ending = new AbortController()
  const reading = tapedeck.changes({ signal: ending.signal }).next()
  await turns()
  expect(seen).toHaveLength(1)
  for (const [index, ms] of [500, 1000, 2000].entries()) {
    clock.advance(ms - 1)
    await turns()
    expect(seen).toHaveLength(index + 1)
    clock.advance(1)
    await turns()
    expect(seen).toHaveLength(index + 2)
  }
  ending.abort()
  await expect(reading).rejects.toThrow("aborted")
})

const aPage = (records: ReadonlyArray<object>, next_since: string, has_more = false) =>
  reply(200, { pagination: { items: 2, has_more, next_since }, records })

test("recordingChanges reads pages from a place to the present, and the place may be empty", async () => {
  const { seen, tapedeck } = makeClient([
    aPage([{ uuid: "a" }, { uuid: "b", deleted: true }], "two", true),
    aPage([{ uuid: "c" }], "three")
  ])
  const found: Array<unknown> = []
  for await (const { pagination, records } of tapedeck.recordingChanges("one")) {
    found.push([pagination.next_since, ...records.map(({ uuid }) => uuid)])
  }
  expect(found).toEqual([
    ["two", "a", "b"],
    ["three", "c"]
  ])
  await tapedeck.recordingChanges().next()
  expect(seen.map(({ url }) => url.pathname + url.search)).toEqual(
    ["one", "two", ""].map((since) => `/api/settings/recordings?updated_since=${since}`)
  )
})

test("changes with since begin with what was missed, and with everything after a 410", async () => {
  const ready = reply(200, "event: ready\ndata: {}\n\n", { "content-type": "text/event-stream" })
  const { clock, seen, tapedeck } = makeClient([
    ready,
    reply(410, { error: "updated_since is too old" }),
    ready,
    aPage(
      [
        { uuid: "a", folder_id: "vip" },
        { uuid: "b", deleted: true }
      ],
      "next"
    ),
    ready,
    aPage([], "last")
  ])
  const found: Array<unknown> = []
  for await (const change of tapedeck.changes({ since: "old", onOffline: () => {} })) {
    found.push(change)
    if (change.type === "synced" && change.next_since === "next") queueMicrotask(() => void advance())
    if (found.length === 8) break
  }
  async function advance() {
    await turns()
    clock.advance(500)
  }
  expect(found).toEqual([
    { type: "ready" },
    { type: "reset" },
    { type: "ready" },
    { type: "recording", uuid: "a", folder_id: "vip", removed: false },
    { type: "recording", uuid: "b", removed: true },
    { type: "synced", next_since: "next" },
    { type: "ready" },
    { type: "synced", next_since: "last" }
  ])
  expect(seen.map(({ url }) => url.searchParams.get("updated_since"))).toEqual([null, "old", null, "", null, "next"])
})

/** A stream of events, to which the test adds. */
const aStream = () => {
  let add = (_event: string) => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      add = (event) => controller.enqueue(new TextEncoder().encode(`${event}\n\n`))
    }
  })
  return { reply: () => new Response(body), add: (event: string) => add(event) }
}

const ready = "event: ready\ndata: {}"
const heartbeat = "id: 1\n: still here"

test("changes are synced at the end of the list, not after each page", async () => {
  const stream = aStream()
  const pages = [aPage([{ uuid: "a" }], "one", true), aPage([{ uuid: "b" }], "two")]
  const { tapedeck } = makeClient([stream.reply, ...pages])
  stream.add(ready)
  const found: Array<unknown> = []
  for await (const change of tapedeck.changes({ since: "" })) {
    found.push("uuid" in change ? change.uuid : change)
    if (change.type === "synced") break
  }
  expect(found).toEqual([{ type: "ready" }, "a", "b", { type: "synced", next_since: "two" }])
})

test("changes of a stream that stays connected are synced an hour after the last time, and not earlier", async () => {
  const stream = aStream()
  const { clock, seen, tapedeck } = makeClient([stream.reply, aPage([], "one"), aPage([{ uuid: "a" }], "two")])
  const changes = tapedeck.changes({ since: "" })
  stream.add(ready)
  expect((await changes.next()).value).toEqual({ type: "ready" })
  expect((await changes.next()).value).toEqual({ type: "synced", next_since: "one" })
  const next = changes.next()
  clock.at += 3_599_999
  stream.add(heartbeat)
  await turns()
  expect(seen).toHaveLength(2)
  clock.at += 1
  stream.add(heartbeat)
  expect((await next).value).toMatchObject({ type: "recording", uuid: "a" })
  expect((await changes.next()).value).toEqual({ type: "synced", next_since: "two" })
  expect(seen.at(-1)?.url.searchParams.get("updated_since")).toBe("one")
  await changes.return()
})

test("changes with since report that the stream missed changes, and list those of recordings", async () => {
  const stream = aStream()
  const { tapedeck } = makeClient([stream.reply, aPage([], "one"), aPage([], "two")])
  for (const event of [ready, "event: reset\ndata: {}"]) stream.add(event)
  const found: Array<unknown> = []
  for await (const change of tapedeck.changes({ since: "" })) {
    found.push(change)
    if (found.length === 4) break
  }
  expect(found).toEqual([
    { type: "ready" },
    { type: "synced", next_since: "one" },
    { type: "missed" },
    { type: "synced", next_since: "two" }
  ])
})
