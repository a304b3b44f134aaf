import { describe, expect, it } from "vitest"
import { uploadWith } from "./client.ts"
import { aVideo, bobs, downloaded, makePlace, patch, type Running, sha256, tus, uploadsOf } from "./trial.ts"

let server: Running
/** Each test starts a server of its own, which ends with it. */
const start = async () => {
  server = await makePlace().start()
}

const create = async (sizeBytes: number | null) => {
  const length = sizeBytes === null ? { "upload-defer-length": "1" } : { "upload-length": String(sizeBytes) }
  const answer = await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, ...length } })
  expect(answer.status).toBe(201)
  return answer.headers.get("location")!
}

const statusOf = async (method: string, path: string, headers: Record<string, string>, body?: Buffer) =>
  (await server.ask(method, path, { headers, ...(body !== undefined && { body: new Uint8Array(body) }) })).status

describe("the tus protocol 1.0.0", () => {
  it("MUST answer another Tus-Resumable, or none, with 412 and Tus-Version, and MUST NOT process the request", async () => {
    await start()
    const path = await create(8)
    for (const version of [{ "tus-resumable": "0.2.2" }, { "tus-resumable": "1.0.1" }, {}] as Array<
      Record<string, string>
    >)
      for (const [method, place] of [
        ["POST", uploadsOf(bobs)],
        ["HEAD", path],
        ["PATCH", path],
        ["DELETE", path]
      ] as const) {
        const headers = { ...patch(0), "upload-length": "8", ...version }
        if (version["tus-resumable"] === undefined) delete (headers as Record<string, string>)["tus-resumable"]
        const answer = await server.ask(method, place, { headers, ...(method === "PATCH" && { body: "eightyes" }) })
        expect([method, answer.status, answer.headers.get("tus-version")]).toEqual([method, 412, "1.0.0"])
      }
    const head = await server.ask("HEAD", path, { headers: tus })
    expect(head.headers.get("upload-offset")).toBe("0")
  })

  it("MUST have Tus-Resumable in each answer, and Cache-Control: no-store in that to HEAD", async () => {
    await start()
    const path = await create(8)
    const head = await server.ask("HEAD", path, { headers: tus })
    expect(head.headers.get("tus-resumable")).toBe("1.0.0")
    expect(head.headers.get("cache-control")).toBe("no-store")
    expect(head.headers.get("upload-length")).toBe("8")
  })

  it("MUST announce version and extensions to OPTIONS, and SHOULD announce the maximum size", async () => {
    await start()
    const { headers, status } = await server.ask("OPTIONS", uploadsOf(bobs))
    expect(status).toBe(204)
    expect(headers.get("tus-version")).toBe("1.0.0")
    expect(headers.get("tus-extension")?.split(",")).toEqual(
      expect.arrayContaining(["creation", "creation-with-upload", "creation-defer-length", "expiration", "termination"])
    )
    expect(Number(headers.get("tus-max-size"))).toBeGreaterThan(0)
  })

  it("MUST take X-HTTP-Method-Override for the method", async () => {
    await start()
    const path = await create(64)
    const as = (method: string) => ({ "x-http-method-override": method })
    expect(await statusOf("POST", path, { ...patch(0), ...as("PATCH") }, aVideo(40))).toBe(204)
    const head = await server.ask("POST", path, { headers: { ...tus, ...as("HEAD") } })
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "40"])
    expect(await statusOf("POST", path, { ...tus, ...as("DELETE") })).toBe(204)
    expect(await statusOf("HEAD", path, tus)).toBe(404)
    expect(await statusOf("POST", uploadsOf(bobs), as("OPTIONS"))).toBe(204)
    expect(await statusOf("POST", path, tus)).toBe(405)
  })

  it("MUST answer another offset with 409, and SHOULD answer another Content-Type with 415", async () => {
    await start()
    const path = await create(8)
    expect(await statusOf("PATCH", path, patch(1), Buffer.from("x"))).toBe(409)
    expect(await statusOf("PATCH", path, { ...patch(0), "content-type": "video/mp4" }, Buffer.from("x"))).toBe(415)
    const { "upload-offset": _, ...rest } = patch(0)
    expect(await statusOf("PATCH", path, rest, Buffer.from("x"))).toBe(400)
    for (const offset of ["-1", "x", "1.5"])
      expect(await statusOf("PATCH", path, { ...patch(0), "upload-offset": offset }, Buffer.from("x"))).toBe(400)
  })

  it("MUST answer a length beyond the maximum with 413, and one that is missing or malformed with 400", async () => {
    await start()
    for (const [length, status] of [
      [{ "upload-length": "99999999999999" }, 413],
      [{ "upload-length": "-1" }, 400],
      [{ "upload-defer-length": "2" }, 400],
      [{}, 400]
    ] as ReadonlyArray<readonly [Record<string, string>, number]>)
      expect(await statusOf("POST", uploadsOf(bobs), { ...tus, ...length })).toBe(status)
  })

  it("MUST have Upload-Defer-Length until the length is known", async () => {
    await start()
    const path = await create(null)
    const head = await server.ask("HEAD", path, { headers: tus })
    expect([head.headers.get("upload-defer-length"), head.headers.get("upload-length")]).toEqual(["1", null])
    expect(await statusOf("PATCH", path, { ...patch(0), "upload-length": "64" }, aVideo(40))).toBe(204)
    expect((await server.ask("HEAD", path, { headers: tus })).headers.get("upload-length")).toBe("64")
  })

  it("is spoken by tus-js-client, also with overridden methods", async () => {
    await start()
    const file = aVideo(100_000)
    const { sent } = await uploadWith(file, {
      endpoint: `${server.url}${uploadsOf(bobs)}`,
      chunkSize: 40_000,
      overridePatchMethod: true
    })
    expect(sent.map(({ status }) => status)).toEqual([201, 204, 204, 204])
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("answers no 500 where the last bytes are sent twice at once, beside HEADs", async () => {
    await start()
    const file = aVideo(50_000)
    for (let turn = 0; turn < 10; turn++) {
      const path = await create(file.length)
      expect(await statusOf("PATCH", path, patch(0), file.subarray(0, 40_000))).toBe(204)
      const last = () => statusOf("PATCH", path, patch(40_000), file.subarray(40_000))
      const head = () => statusOf("HEAD", path, tus)
      const statuses = await Promise.all([last(), head(), last(), ...Array.from({ length: 20 }, head)])
      expect(statuses.filter((status) => status >= 500)).toEqual([])
      expect(statuses).toContain(204)
    }
  })
})
