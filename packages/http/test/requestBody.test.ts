import { Context } from "effect"
import { expect, it } from "vitest"
import { BodyMemory, BufferedBodies } from "../src/requestBody.ts"
import { ids } from "./fixtures.ts"
import { handler, makeWorld } from "./world.ts"

/** The memory that all request bodies together have. */

const path = `/api/v2/recordings/${ids.bobs}`
const patched = JSON.stringify({ recording: { title: "Kept" } })

const makeTrial = async (maxBytes: number) => {
  const world = await makeWorld()
  const memory = new BodyMemory(maxBytes)
  const context = Context.add(world.context, BufferedBodies, memory)
  const patch = (body: string | ReadableStream, declared?: number, target = path) => {
    const headers = {
      authorization: "Bearer ada-token",
      "content-type": "application/json",
      ...(declared !== undefined && { "content-length": String(declared) })
    }
    const init = { method: "PATCH", headers, body, duplex: "half" as const }
    return handler(new Request(`http://localhost${target}`, init), context)
  }
  return { memory, patch }
}

/** A body whose end is still to come. */
const unfinished = () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return { readable, write: (text: string) => writer.write(Buffer.from(text)), end: () => writer.close() }
}

it.each([undefined, patched.length])(
  "a body beyond the memory for all bodies is 503 (declared length: %s)",
  async (declared) => {
    const atLimit = await makeTrial(patched.length)
    expect((await atLimit.patch(patched, declared)).status).toBe(200)
    // It is free again, whatever the answer was.
    expect((await atLimit.patch(patched, declared, "/api/v2/nothing")).status).toBe(404)
    expect((await atLimit.patch(patched, declared)).status).toBe(200)

    const oneBeyond = await makeTrial(patched.length - 1)
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

it("received bytes of a body are counted until its request is answered", async () => {
  const { memory, patch } = await makeTrial(patched.length)
  const slow = unfinished()
  const answer = patch(slow.readable)
  await slow.write(patched.slice(0, 1))
  await expect.poll(() => memory.heldBytes).toBe(1)
  expect((await patch(patched, patched.length)).status).toBe(503)
  await slow.write(patched.slice(1))
  await slow.end()
  expect((await answer).status).toBe(200)
  expect(memory.heldBytes).toBe(0)
  expect((await patch(patched, patched.length)).status).toBe(200)
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

it("the default limit of all bodies is 128 MiB", () => {
  const memory = Context.get(Context.empty(), BufferedBodies)
  expect(memory.take(128 * 1024 * 1024)).toBe(true)
  expect(memory.take(1)).toBe(false)
  memory.release(128 * 1024 * 1024)
  expect(memory.take(1)).toBe(true)
  memory.release(1)
})
