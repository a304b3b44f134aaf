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
