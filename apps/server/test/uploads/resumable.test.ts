import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { run } from "../support/command.ts"
import { uploadWith } from "./client.ts"
import {
  adas,
  aVideo,
  bobs,
  contentsIn,
  cuttingProxy,
  downloaded,
  makePlace,
  patch,
  type Running,
  sha256,
  tus,
  uploadsOf,
  videoOf
} from "./trial.ts"

const create = async (server: Running, sizeBytes: number, as = "bob", recording = bobs) => {
  const headers = { ...tus, "upload-length": String(sizeBytes) }
  const answer = await server.ask("POST", uploadsOf(recording), { as, headers })
  expect(answer.status).toBe(201)
  return answer.headers.get("location")!
}

const offsetOf = async (server: Running, path: string) => {
  const answer = await server.ask("HEAD", path, { headers: tus })
  return answer.status === 200 ? Number(answer.headers.get("upload-offset")) : answer.status
}

const original = async (server: Running) => {
  const answer = await server.ask("GET", `/api/settings/recordings/${bobs}`)
  return ((await answer.json()) as { video: { original: unknown } }).video.original
}

const updates = async (server: Running) => {
  const answer = await server.ask("GET", "/api/settings/audit-entries?event_type=recording.updated", { as: "ada" })
  return ((await answer.json()) as { pagination: { count: number } }).pagination.count
}

/** Changes the database of a server that has ended. */
const change = (data: string, ...statements: ReadonlyArray<string>) => {
  const database = new DatabaseSync(join(data, "tapedeck.db"))
  for (const statement of statements) database.exec(statement)
  database.close()
}

/** Waits until the server has removed the content of all pieces, and only these contents are left. */
const leaves = (data: string, ...contents: ReadonlyArray<Buffer>) =>
  expect.poll(() => contentsIn(data)).toEqual(contents.map(sha256).sort())

describe("an upload with tus-js-client", () => {
  it("resumes after a cut connection, with the same bytes", async () => {
    const place = makePlace()
    const server = await place.start()
    const file = aVideo(12 * 1024 ** 2)
    const proxy = await cuttingProxy(server.url, 5 * 1024 ** 2)
    const { sent } = await uploadWith(file, { endpoint: `${proxy.url}${uploadsOf(bobs)}`, retryDelays: [0, 0, 0] })
    expect(sent.map(({ method, status }) => `${method} ${status}`)).toEqual(["POST 201", "HEAD 200", "PATCH 204"])
    expect(Number(sent[2]?.offset)).toBeGreaterThan(1024 ** 2)
    expect(proxy.passed()).toBeLessThan(file.length + 5 * 1024 ** 2)
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
    expect(await original(server)).toEqual({ content_type: "video/mp4", size_bytes: file.length })
    await leaves(place.data, file)
  })

  it("resumes on the next server after a kill, with the same bytes", async () => {
    const place = makePlace()
    const first = await place.start()
    const file = aVideo(12 * 1024 ** 2)
    let path = ""
    const killed = uploadWith(file, {
      endpoint: `${first.url}${uploadsOf(bobs)}`,
      chunkSize: 2 * 1024 ** 2,
      onChunkComplete: (_size, accepted) => {
        if (accepted >= 6 * 1024 ** 2) void first.kill()
      },
      onSent: ({ url }) => {
        path = new URL(url ?? "http://x").pathname
      }
    })
    await expect(killed).rejects.toThrow()
    const second = await place.start()
    expect(await offsetOf(second, path)).toBeGreaterThanOrEqual(6 * 1024 ** 2)
    const { sent } = await uploadWith(file, { uploadUrl: `${second.url}${path}` })
    expect(sent.map(({ method, status }) => `${method} ${status}`)).toEqual(["HEAD 200", "PATCH 204"])
    expect(await downloaded(second)).toEqual({ status: 200, sha256: sha256(file) })
    await leaves(place.data, file)
  })

  it("is refused with 422 at its first bytes if it is no video, and removed", async () => {
    const place = makePlace()
    const server = await place.start()
    const failed = uploadWith(Buffer.alloc(20 * 1024 ** 2, "x"), { endpoint: `${server.url}${uploadsOf(bobs)}` })
    await expect(failed).rejects.toThrow(/response code: 422, response text: {"error":"The file is no video/)
    await leaves(place.data)
    expect(await original(server)).toBeNull()
  })
})

describe("an upload in parts", () => {
  it("is refused with 422 at its end if it is too short to detect its type", async () => {
    const place = makePlace()
    const server = await place.start()
    const path = await create(server, 16)
    for (const offset of [0, 8]) {
      const answer = await server.ask("PATCH", path, { headers: patch(offset), body: "eightyes" })
      expect(answer.status).toBe(offset === 0 ? 204 : 422)
      if (offset === 8) expect(await answer.json()).toEqual({ error: expect.stringMatching(/^The file is no video/) })
    }
    expect(await offsetOf(server, path)).toBe(404)
    await leaves(place.data)
    const put = await server.ask("PUT", videoOf(bobs), {
      headers: { "content-type": "video/mp4" },
      body: "sixteen bytes it"
    })
    expect(put.status).toBe(422)
    expect(await original(server)).toBeNull()
  })

  it("is completed once, whenever the server crashes and however often it is requested", async () => {
    const place = makePlace()
    const file = aVideo(50_000)
    const first = await place.start()
    const deferred = await first.ask("POST", uploadsOf(bobs), { headers: { ...tus, "upload-defer-length": "1" } })
    const path = deferred.headers.get("location")!
    const patched = await first.ask("PATCH", path, { headers: patch(0), body: new Uint8Array(file) })
    expect(patched.status).toBe(204)
    await first.kill()
    // Its last byte came, a process claimed its completion, and nothing more.
    const claim = `'$.sizeBytes', ${file.length}, '$.fence', 1, '$.leasedUntil', ${Number.MAX_SAFE_INTEGER}`
    change(place.data, `UPDATE uploads SET document = json_set(document, ${claim})`)

    const second = await place.start()
    const asked = await Promise.all([1, 2, 3].map(() => offsetOf(second, path)))
    expect(asked).toEqual([file.length, file.length, file.length])
    expect(await downloaded(second)).toEqual({ status: 200, sha256: sha256(file) })
    expect(await updates(second)).toBe(1)
    await leaves(place.data, file)
    await second.kill()

    const third = await place.start()
    expect(await offsetOf(third, path)).toBe(file.length)
    expect(await updates(third)).toBe(1)
    expect(await downloaded(third)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("continues in a restored backup that was made while it was in progress", async () => {
    const place = makePlace()
    const server = await place.start()
    const file = aVideo(50_000)
    const path = await create(server, file.length)
    const half = file.subarray(0, 25_000)
    expect((await server.ask("PATCH", path, { headers: patch(0), body: new Uint8Array(half) })).status).toBe(204)
    const [backup, elsewhere] = [`${place.data}-backup`, `${place.data}-restored`]
    expect(await run(["backup", backup, "--data", place.data, "--with-key"])).toMatchObject({ code: 0, err: "" })
    await server.stop()
    expect(await run(["restore", backup, "--data", elsewhere])).toMatchObject({ code: 0, err: "" })
    rmSync(place.data, { recursive: true })
    const restored = await place.start("--data", elsewhere)
    expect(await offsetOf(restored, path)).toBe(25_000)
    const rest = { headers: patch(25_000), body: new Uint8Array(file.subarray(25_000)) }
    expect((await restored.ask("PATCH", path, rest)).status).toBe(204)
    expect(await downloaded(restored)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("can be created by users who may upload in one PUT, and continued by its creator only", async () => {
    const place = makePlace()
    const server = await place.start("--upload-limit", "1MB")
    const made = { ...tus, "upload-length": "100" }
    const post = async (as: string, recording: string, headers: Record<string, string> = made) =>
      (await server.ask("POST", uploadsOf(recording), { as, headers })).status
    expect(await post("unknown", bobs)).toBe(401)
    expect(await post("ned", bobs)).toBe(403)
    expect(await post("bob", adas)).toBe(404)
    expect(await post("bob", "00000000-0000-4000-8000-000000000009")).toBe(404)
    expect(await post("bob", "no-uuid")).toBe(404)
    expect(await post("bob", bobs, { "upload-length": "100" })).toBe(412)
    const tooLarge = await server.ask("POST", uploadsOf(bobs), { headers: { ...made, "upload-length": "1048577" } })
    expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { error: "The file is larger than 1048576 bytes" }])
    expect(await post("ada", bobs)).toBe(201)

    const path = await create(server, 100)
    expect(await offsetOf(server, path)).toBe(0)
    for (const method of ["HEAD", "PATCH", "DELETE"]) {
      const answer = await server.ask(method, path, { as: "ada", headers: method === "PATCH" ? patch(0) : tus })
      expect([method, answer.status]).toEqual([method, 404])
    }
    expect(await offsetOf(server, path.replace(bobs, adas))).toBe(404)
    expect(await offsetOf(server, path.replace(/[^/]+$/, "..%2F..%2Fkey"))).toBe(404)
    const wrong = await server.ask("GET", path)
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, HEAD, OPTIONS, PATCH"])
    const conflict = await server.ask("PATCH", path, { headers: patch(7), body: "x" })
    expect([conflict.status, await conflict.json()]).toEqual([409, { error: "Upload-Offset conflict" }])
    expect((await server.ask("DELETE", path, { headers: tus })).status).toBe(204)
    expect(await offsetOf(server, path)).toBe(404)
    const options = await server.ask("OPTIONS", uploadsOf(bobs))
    expect([options.status, options.headers.get("tus-max-size")]).toEqual([204, "1048576"])
  })

  it("expires at the announced time, and is removed", async () => {
    const place = makePlace()
    const first = await place.start("--upload-expiry", "PT1H")
    const answer = await first.ask("POST", uploadsOf(bobs), { headers: { ...tus, "upload-length": "100" } })
    const path = answer.headers.get("location")!
    const announced = Date.parse(answer.headers.get("upload-expires")!)
    // Both are whole seconds, and another one may have begun.
    expect(Math.abs(announced - Date.parse(answer.headers.get("date")!) - 3_600_000)).toBeLessThanOrEqual(1_000)
    expect((await first.ask("PATCH", path, { headers: patch(0), body: new Uint8Array(aVideo(40)) })).status).toBe(204)
    await first.stop()
    // An hour passes.
    change(place.data, "UPDATE uploads SET expires_at = expires_at - 3600000")
    const second = await place.start()
    await expect.poll(() => offsetOf(second, path)).toBe(404)
    await leaves(place.data)
  })
})
