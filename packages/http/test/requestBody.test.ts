import { AccessTokens, storeOf } from "@tapedeck/core"
import { Context, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { expect, it } from "vitest"
import { BufferedBodies, jsonLimit, RequestBody, withBody } from "../src/pipeline/requestBody.ts"
import { SharedBudget, UNCOUNTED_BYTES } from "../src/pipeline/SharedBudget.ts"
import { ids } from "./fixtures.ts"
import { handler, makeWorld, type TestWorld } from "./world.ts"

/** The memory that all request bodies together have. */

const path = `/api/v2/recordings/${ids.bobs}`
/** A change whose body has so many bytes that count. */
const patchedWith = (counted: number) =>
  JSON.stringify({ recording: { title: "Kept" } }).padEnd(UNCOUNTED_BYTES + counted, " ")
const counted = 1_000
const patched = patchedWith(counted)

const makeTrial = async (maxBytes: number) => {
  const world = await makeWorld()
  const memory = new SharedBudget(maxBytes)
  const context = Context.add(world.context, BufferedBodies, memory)
  const patch = (body: string | ReadableStream, declared?: number, target = path, token = "ada-token") => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(declared !== undefined && { "content-length": String(declared) })
    }
    const init = { method: "PATCH", headers, body, duplex: "half" as const }
    return handler(new Request(`http://localhost${target}`, init), context)
  }
  return { memory, patch, world }
}

/** Creates access tokens of one member, besides the token that the start document gives. */
const issue = (world: TestWorld, email: string, count: number) =>
  world.run(
    Effect.gen(function* () {
      const { users } = yield* storeOf("users")
      const { create } = yield* AccessTokens
      const user = (yield* users.byEmail(email))!
      return yield* Effect.replicateEffect(create({ user, name: "Import", kind: "access" }), count)
    })
  )

/** A body whose end is still to come. */
const unfinished = () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return { readable, write: (text: string) => writer.write(Buffer.from(text)), end: () => writer.close() }
}

it.each([undefined, patched.length])(
  "a body beyond a quarter of the memory for all bodies is 503, and a small one never (declared length: %s)",
  async (declared) => {
    const atLimit = await makeTrial(4 * counted)
    expect((await atLimit.patch(patched, declared)).status).toBe(200)
    // It is free again, whatever the answer was.
    expect((await atLimit.patch(patched, declared, "/api/v2/nothing")).status).toBe(404)
    expect((await atLimit.patch(patched, declared)).status).toBe(200)

    const oneBeyond = await makeTrial(4 * counted - 1)
    const refused = await oneBeyond.patch(patched, declared)
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(await refused.json()).toEqual({ error: "The server holds as many request bodies as it has memory for" })
    const older = await oneBeyond.patch(patched, declared, "/api/v1/recordings")
    expect(await older.json()).toEqual({
      error: { message: "The server holds as many request bodies as it has memory for", code: 503 }
    })
    expect((await oneBeyond.patch("{}", declared === undefined ? undefined : 2)).status).toBe(400)
  }
)

it("bytes count when they came, not when they were announced, until the request is answered", async () => {
  const { memory, patch } = await makeTrial(4 * counted)
  const slow = unfinished()
  const answer = patch(slow.readable, patched.length)
  await slow.write(patched.slice(0, UNCOUNTED_BYTES))
  expect((await patch(patched, patched.length)).status).toBe(200)
  await slow.write(patched.slice(UNCOUNTED_BYTES, -1))
  await expect.poll(() => memory.heldBytes).toBe(counted - 1)
  expect((await patch(patched, patched.length)).status).toBe(503)
  await slow.write(patched.slice(-1))
  await slow.end()
  expect((await answer).status).toBe(200)
  expect(memory.heldBytes).toBe(0)
  expect((await patch(patched, patched.length)).status).toBe(200)
})

it("a caller with a quarter of the memory leaves the rest to the others", async () => {
  const { memory, patch } = await makeTrial(4 * counted)
  memory.hold("another caller", counted)
  expect(memory.admits("another caller", 1)).toBe(false)
  expect((await patch(patched, patched.length)).status).toBe(200)
  memory.hold("a third", counted)
  memory.hold("a fourth", counted + 1)
  expect((await patch(patched, patched.length)).status).toBe(503)
  expect((await patch("{}", 2)).status).toBe(400)
})

it("a member with five tokens has one share of the memory", async () => {
  const { memory, patch, world } = await makeTrial(4 * counted)
  const slow = unfinished()
  const answer = patch(slow.readable, patched.length, path, "bob-token")
  await slow.write(patched)
  await expect.poll(() => memory.heldBytes).toBe(counted)
  for (const token of await issue(world, "bob@acme.test", 4)) {
    expect((await patch(patched, patched.length, path, token)).status).toBe(503)
  }
  expect(memory.heldBytes).toBe(counted)
  // A member may not change the recording, which is refused after the body was read.
  expect((await patch(patched, patched.length, path, "cy-token")).status).toBe(403)
  expect((await patch(patched, patched.length)).status).toBe(200)
  await slow.end()
  expect((await answer).status).toBe(403)
})

it.each([
  ["in one piece", patched.length, [patched]],
  [
    "in pieces of undeclared length",
    undefined,
    [patched.slice(0, 10), patched.slice(10, 70_000), patched.slice(70_000)]
  ],
  ["that is longer than declared", 70_000, [patched.slice(0, 69_999), patched.slice(69_999)]],
  ["that is small, of undeclared length", undefined, ["{", "}"]]
])("a body takes no more memory than it is long: %s", async (_, declared, pieces) => {
  const headers = declared === undefined ? {} : { "content-length": String(declared) }
  const stream = Stream.fromIterable(pieces.map((piece) => Buffer.from(piece)))
  const request = { headers, stream, source: {} } as unknown as HttpServerRequest.HttpServerRequest
  let read: Uint8Array | null = null
  const reading = withBody(
    request,
    { caller: "one", limit: jsonLimit, onRead: (body) => (read = body) },
    Effect.map(RequestBody, (body) => body!)
  )
  const body = await Effect.runPromise(reading)
  expect(Buffer.from(body).toString()).toBe(pieces.join(""))
  expect(body.buffer.byteLength).toBe(body.length)
  expect(read).toBe(body)
})

it("the memory of an interrupted body is released", async () => {
  const { memory, patch } = await makeTrial(100)
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from("{"))
    },
    pull(controller) {
      controller.error(new Error("gone"))
    }
  })
  const refused = await patch(broken)
  expect([refused.status, await refused.json()]).toEqual([400, { error: "The body could not be read" }])
  expect(memory.heldBytes).toBe(0)
})

it("the default limit of all bodies is 128 MiB, and 32 MiB of one caller", () => {
  const memory = Context.get(Context.empty(), BufferedBodies)
  expect(memory.maxBytes).toBe(128 * 1024 * 1024)
  expect(memory.admits("one", 32 * 1024 * 1024)).toBe(true)
  expect(memory.admits("one", 32 * 1024 * 1024 + 1)).toBe(false)
})
