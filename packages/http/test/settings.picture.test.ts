import { describe, expect, it } from "vitest"
import { makeSettings } from "./settingsWorld.ts"

const at = "/users/2/picture"
const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
const pngHead = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

const pngOf = (sizeBytes: number) => {
  const png = new Uint8Array(sizeBytes)
  png.set(pngHead)
  return png
}

const mebibyte = 1024 * 1024

describe("a profile picture", () => {
  it("is served once it is uploaded, byte for byte, with the type of its first bytes", async () => {
    const { ask, fetch } = await makeSettings()
    expect(await ask(`GET ${at}`)).toMatchObject({ status: 404, body: { error: "Profile picture not found" } })
    const uploaded = await ask(`PUT ${at}`, { body: jpeg, headers: { "content-type": "text/html" } })
    expect(uploaded).toMatchObject({ status: 200, body: { id: 2, has_profile_picture: true } })
    const read = await ask(`GET ${at}`)
    expect(read.status).toBe(200)
    expect(read.headers.get("content-type")).toBe("image/jpeg")
    expect(Buffer.from(read.body)).toEqual(Buffer.from(jpeg))
    const v2 = await (await fetch("/api/v2/users/search?email=bob@acme.test", { as: "ada" })).json()
    expect(v2).toMatchObject({ has_profile_picture: true })
  })

  it("replaces the previous one, whose bytes are removed; the same upload again changes nothing", async () => {
    const world = await makeSettings()
    await world.ask(`PUT ${at}`, { body: jpeg })
    const files = () => world.memory.state().files.toArray().length
    const before = [files(), world.entries().length]
    const again = await world.ask(`PUT ${at}`, { body: jpeg })
    expect(again.status).toBe(200)
    expect([files(), world.entries().length]).toEqual(before)
    await world.ask(`PUT ${at}`, { body: pngOf(8) })
    expect(files()).toBe(before[0])
    expect((await world.ask(`GET ${at}`)).headers.get("content-type")).toBe("image/png")
  })

  it("is gone once it is removed; a second removal changes nothing", async () => {
    const world = await makeSettings()
    await world.ask(`PUT ${at}`, { body: jpeg })
    expect((await world.ask(`DELETE ${at}`)).status).toBe(204)
    expect((await world.ask("GET /users/2")).body).toMatchObject({ has_profile_picture: false })
    expect((await world.ask(`GET ${at}`)).status).toBe(404)
    const entries = world.entries().length
    expect((await world.ask(`DELETE ${at}`)).status).toBe(204)
    expect(world.entries()).toHaveLength(entries)
  })

  it("has 1 MiB at most: one byte more is 413, and the previous picture stays", async () => {
    const { ask } = await makeSettings()
    expect((await ask(`PUT ${at}`, { body: pngOf(mebibyte) })).status).toBe(200)
    expect((await ask(`GET ${at}`)).body).toHaveLength(mebibyte)
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(pngOf(mebibyte + 1))
        controller.close()
      }
    })
    for (const body of [pngOf(mebibyte + 1), streamed]) {
      expect(await ask(`PUT ${at}`, { body })).toMatchObject({
        status: 413,
        body: { error: "The body is larger than 1 MiB" }
      })
    }
    expect((await ask(`GET ${at}`)).body).toHaveLength(mebibyte)
  })

  it.each([
    ["", 400, "The body must not be empty"],
    ["GIF89a", 422, "The file is no PNG and no JPEG"],
    ["<svg xmlns='http://www.w3.org/2000/svg'/>", 422, "The file is no PNG and no JPEG"]
  ])("is refused: %j", async (body, status, error) => {
    const { ask } = await makeSettings()
    expect(await ask(`PUT ${at}`, { body })).toMatchObject({ status, body: { error } })
    expect((await ask("GET /users/2")).body).toMatchObject({ has_profile_picture: false })
  })

  it("of another user requires an admin and an existing user", async () => {
    const { ask } = await makeSettings()
    expect((await ask(`PUT ${at}`, { as: "bob", body: jpeg })).status).toBe(403)
    for (const call of ["GET", "PUT", "DELETE"].map((method) => `${method} /users/99/picture`)) {
      expect((await ask(call, call.startsWith("PUT") ? { body: jpeg } : {})).status, call).toBe(404)
    }
  })
})
