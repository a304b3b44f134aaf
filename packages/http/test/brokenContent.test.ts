import type { Store } from "@tapedeck/core"
import { Effect, Stream } from "effect"
import { expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

/** Content that is missing, or that fails halfway. */

const downloads = [`/api/v2/recordings/${ids.bobs}/download`, `/r/${ids.bobs}/video`]

const makeTrial = async (read: Store["files"]["read"]) => {
  const world = await makeWorld()
  Object.assign(world.memory.store.files, { read })
  const entries = () =>
    world.memory
      .state()
      .auditEntries.valuesArray()
      .filter(({ eventType }) => eventType === "recording.downloaded")
  return { ...world, entries }
}

it.each(downloads)("is 500 where nothing was sent yet, and no download in the audit log: %s", async (path) => {
  for (const read of [() => Effect.undefined, () => Effect.succeed(Stream.die(new Error("disk")))]) {
    const world = await makeTrial(read)
    const answer = await world.fetch(path)
    expect([answer.status, await answer.json()]).toEqual([500, { error: "Internal server error" }])
    expect(world.entries()).toEqual([])
    const line = world.defects.join("\n")
    expect(line).toContain(answer.headers.get("x-request-id"))
    expect(line).toContain('"level":"ERROR"')
  }
})

it.each(downloads)("that fails halfway is logged with the request's id and the bytes sent: %s", async (path) => {
  const broken = Stream.concat(Stream.make(Buffer.from("01234")), Stream.die(new Error("disk")))
  const world = await makeTrial(() => Effect.succeed(broken))
  const answer = await world.fetch(path)
  expect(answer.status).toBe(200)
  await expect(answer.arrayBuffer()).rejects.toThrow()
  const [line = "{}"] = world.defects
  expect(JSON.parse(line)).toMatchObject({
    level: "ERROR",
    annotations: { request_id: answer.headers.get("x-request-id"), method: "GET", sent_bytes: 5 }
  })
})

it.each([
  ["fails halfway", Stream.concat(Stream.make(Buffer.from("01234")), Stream.die(new Error("disk")))],
  ["ends before its length", Stream.make(Buffer.from("01234"))]
])("a download that %s has an audit entry that says that it failed, of the same caller", async (_, bytes) => {
  const world = await makeTrial(() => Effect.succeed(bytes))
  const answer = await world.fetch(downloads[0]!, { headers: { "user-agent": "player" } })
  await expect(answer.arrayBuffer()).rejects.toThrow()
  const [begun, failed, ...more] = world.entries()
  expect([begun?.status, failed?.status, more]).toEqual(["success", "failure", []])
  const { id: _id, status: _status, at: _at, ...same } = begun!
  expect(failed).toMatchObject({ ...same, userAgent: "player" })
})

it("a download whose client leaves has one audit entry", async () => {
  const world = await makeTrial(() =>
    Effect.succeed(Stream.concat(Stream.make(Buffer.from("01234")), Stream.fromEffect(Effect.never)))
  )
  const reader = (await world.fetch(downloads[0]!)).body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(world.entries().map(({ status }) => status)).toEqual(["success"])
})

it("a download whose audit entry finds no space is 507, and sends nothing", async () => {
  const { StorageFull } = await import("@tapedeck/core")
  let isFull = false
  const world = await makeWorld({ failure: () => (isFull ? new StorageFull({ path: "database" }) : null) })
  isFull = true
  expect((await world.fetch(downloads[0]!)).status).toBe(507)
})
