import { createHash } from "node:crypto"
import { beforeEach, describe, expect, it, test } from "vitest"
import { forAllTests } from "../support/command.ts"
import { uploadWith } from "./client.ts"
import { adas, aVideo, bobs, downloaded, makePlace, patch, type Running, sha256, tus, uploadsOf } from "./trial.ts"

const shared = forAllTests(() => makePlace().start())
let server: Running
beforeEach(() => {
  server = shared()
})

const create = async (sizeBytes: number | null) => {
  const length = sizeBytes === null ? { "upload-defer-length": "1" } : { "upload-length": String(sizeBytes) }
  const answer = await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, ...length } })
  expect(answer.status).toBe(201)
  return answer.headers.get("location")!
}

const statusOf = async (method: string, path: string, headers: Record<string, string>, body?: Buffer) =>
  (await server.ask(method, path, { headers, ...(body !== undefined && { body: new Uint8Array(body) }) })).status

test("a page of an allowed origin may upload in parts, and read where to and how far", async () => {
  const origin = "https://shop.test"
  const server = await makePlace().start("--cors-origins", origin)
  const names = (answer: Response, header: string) => (answer.headers.get(header) ?? "").split(", ")
  for (const [method, path] of [
    ["POST", uploadsOf(bobs)],
    ["PATCH", `${uploadsOf(bobs)}/00000000-0000-4000-8000-000000000099`]
  ] as const) {
    const asked = { origin, "access-control-request-method": method, "access-control-request-headers": "upload-offset" }
    const preflight = await fetch(`${server.url}${path}`, { method: "OPTIONS", headers: asked })
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin])
    expect(names(preflight, "access-control-allow-methods")).toContain(method)
    const allowed = ["tus-resumable", "upload-length", "upload-metadata", "upload-offset", "upload-defer-length"]
    expect(names(preflight, "access-control-allow-headers")).toEqual(expect.arrayContaining(allowed))
  }
  const sent = await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, origin, "upload-length": "8" } })
  expect([sent.status, sent.headers.get("access-control-allow-origin")]).toEqual([201, origin])
  const read = ["location", "upload-offset", "upload-expires", "tus-resumable"]
  expect(names(sent, "access-control-expose-headers")).toEqual(expect.arrayContaining(read))
})

describe("the tus protocol 1.0.0", () => {
  it("MUST answer another Tus-Resumable, or none, with 412 and Tus-Version, and MUST NOT process the request", async () => {
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

  it("MUST have Tus-Resumable in each answer, and SHOULD have no Upload-Offset in that to HEAD of no upload", async () => {
    const path = await create(8)
    const missing = `${uploadsOf(bobs)}/00000000-0000-4000-8000-000000000099`
    const answers = [
      await server.ask("HEAD", path, { headers: tus }),
      await server.ask("PATCH", path, { headers: patch(1), body: "x" }),
      await server.ask("PATCH", missing, { headers: patch(0), body: "x" }),
      await server.ask("HEAD", missing, { headers: tus }),
      await server.ask("HEAD", path.replace(bobs, adas), { headers: tus }),
      await server.ask("HEAD", path, { as: "none", headers: tus }),
      await server.ask("PUT", path, { headers: tus }),
      await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, "upload-length": "99999999999999" } })
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 404, 404, 404, 401, 405, 413])
    for (const { headers, status } of answers) {
      expect([status, headers.get("tus-resumable"), headers.get("cache-control")]).toEqual([
        status,
        "1.0.0",
        "no-store"
      ])
      expect(headers.has("upload-offset")).toBe(status === 200)
    }
  })

  it("MUST have Upload-Offset, Upload-Length and Cache-Control: no-store in the answer to HEAD, also at 0 and at the end", async () => {
    const path = await create(64)
    for (const offset of [0, 64]) {
      const { headers, status } = await server.ask("HEAD", path, { headers: tus })
      expect([status, headers.get("upload-offset"), headers.get("upload-length")]).toEqual([200, `${offset}`, "64"])
      expect([headers.get("cache-control"), headers.get("upload-defer-length")]).toEqual(["no-store", null])
      if (offset === 0) expect(await statusOf("PATCH", path, patch(0), aVideo(64))).toBe(204)
    }
  })

  it("MUST answer PATCH with 204 and the sum of the offset and the bytes that were stored", async () => {
    const path = await create(64)
    const file = aVideo(64)
    for (const [from, to] of [
      [0, 40],
      [40, 50],
      [50, 64]
    ] as const) {
      const answer = await server.ask("PATCH", path, {
        headers: patch(from),
        body: new Uint8Array(file.subarray(from, to))
      })
      expect([answer.status, answer.headers.get("upload-offset")]).toEqual([204, String(to)])
    }
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("MUST NOT store bytes beyond the length", async () => {
    const path = await create(8)
    expect(await statusOf("PATCH", path, patch(0), aVideo(9))).toBe(413)
    expect((await server.ask("HEAD", path, { headers: tus })).headers.get("upload-offset")).toBe("0")
  })

  it("MUST verify Upload-Checksum, and answer a mismatch with 460 and an unknown algorithm with 400", async () => {
    const path = await create(64)
    const file = aVideo(64)
    const sum = (text: string) => ({ ...patch(0), "upload-checksum": text })
    const sha1 = (bytes: Buffer) => `sha1 ${createHash("sha1").update(bytes).digest("base64")}`
    expect(await statusOf("PATCH", path, sum(sha1(file.subarray(1))), file)).toBe(460)
    for (const wrong of ["crc32 AAAAAA==", "sha1", "sha1 !"])
      expect([wrong, await statusOf("PATCH", path, sum(wrong), file)]).toEqual([wrong, 400])
    expect((await server.ask("HEAD", path, { headers: tus })).headers.get("upload-offset")).toBe("0")
    const { headers } = await server.ask("OPTIONS", path)
    expect(headers.get("tus-checksum-algorithm")).toBe("sha1,sha256,md5")
    expect(await statusOf("PATCH", path, sum(sha1(file)), file)).toBe(204)
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("MUST announce version and extensions to OPTIONS, and SHOULD announce the maximum size", async () => {
    // It MUST ignore the version.
    const { headers, status } = await server.ask("OPTIONS", uploadsOf(bobs), { headers: { "tus-resumable": "0.2.2" } })
    expect(status).toBe(204)
    expect(headers.get("tus-version")).toBe("1.0.0")
    expect(headers.get("tus-extension")?.split(",")).toEqual(
      expect.arrayContaining(["creation", "creation-with-upload", "creation-defer-length", "expiration", "termination"])
    )
    expect(Number(headers.get("tus-max-size"))).toBeGreaterThan(0)
  })

  it("MUST take X-HTTP-Method-Override for the method", async () => {
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

  it("MUST ignore the actual method where X-HTTP-Method-Override names another", async () => {
    const as = (method: string) => ({ "x-http-method-override": method })
    const path = await create(64)
    expect(await statusOf("PUT", path, { ...patch(0), ...as("PATCH") }, aVideo(40))).toBe(204)
    expect(await statusOf("DELETE", path, { ...tus, ...as("HEAD") })).toBe(200)
    expect(await statusOf("DELETE", path, { ...tus, ...as("TRACE") })).toBe(405)
    expect(await statusOf("DELETE", path, { ...tus, ...as("no method") })).toBe(405)
    const head = await server.ask("GET", path, { headers: { ...tus, ...as("head") } })
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "40"])
    expect(await statusOf("PUT", uploadsOf(bobs), { ...tus, "upload-length": "8", ...as("POST") })).toBe(201)
  })

  it("MUST take the type of the bytes in any case and with parameters, as HTTP has it, and ignores what proxies add", async () => {
    const path = await create(64)
    const type = { "content-type": "Application/Offset+Octet-Stream; a=b", "x-forwarded-proto": "https, http" }
    expect(await statusOf("PATCH", path, { ...patch(0), ...type }, aVideo(64))).toBe(204)
  })

  it("MUST answer another offset with 409, and SHOULD answer another Content-Type with 415", async () => {
    const path = await create(8)
    expect(await statusOf("PATCH", path, patch(1), Buffer.from("x"))).toBe(409)
    expect(await statusOf("PATCH", path, { ...patch(0), "content-type": "video/mp4" }, Buffer.from("x"))).toBe(415)
    const { "upload-offset": _, ...rest } = patch(0)
    expect(await statusOf("PATCH", path, rest, Buffer.from("x"))).toBe(400)
    for (const offset of ["-1", "x", "1.5"])
      expect(await statusOf("PATCH", path, { ...patch(0), "upload-offset": offset }, Buffer.from("x"))).toBe(400)
  })

  it("MUST answer a length beyond the maximum with 413, and one that is missing or malformed with 400", async () => {
    for (const [length, status] of [
      [{ "upload-length": "99999999999999" }, 413],
      [{ "upload-length": "8", "upload-defer-length": "1" }, 400],
      [{ "upload-length": "1.5" }, 400],
      [{ "upload-length": "-1" }, 400],
      [{ "upload-defer-length": "2" }, 400],
      [{}, 400]
    ] as ReadonlyArray<readonly [Record<string, string>, number]>)
      expect(await statusOf("POST", uploadsOf(bobs), { ...tus, ...length })).toBe(status)
  })

  it("MUST have Upload-Defer-Length until the length is known", async () => {
    const path = await create(null)
    const head = await server.ask("HEAD", path, { headers: tus })
    expect([head.headers.get("upload-defer-length"), head.headers.get("upload-length")]).toEqual(["1", null])
    expect(await statusOf("PATCH", path, { ...patch(0), "upload-length": "64" }, aVideo(40))).toBe(204)
    const known = await server.ask("HEAD", path, { headers: tus })
    expect([known.headers.get("upload-length"), known.headers.get("upload-defer-length")]).toEqual(["64", null])
    // Once set, the length MUST NOT be changed.
    expect(await statusOf("PATCH", path, { ...patch(40), "upload-length": "65" }, aVideo(24))).toBe(400)
    expect((await server.ask("HEAD", path, { headers: tus })).headers.get("upload-length")).toBe("64")
  })

  it("MUST answer a deferred length beyond the maximum with 413", async () => {
    const path = await create(null)
    expect(await statusOf("PATCH", path, { ...patch(0), "upload-length": "99999999999999" }, aVideo(40))).toBe(413)
  })

  it("MUST answer HEAD with Upload-Metadata as the client gave it, and without it where there is none", async () => {
    const given = "filename Y2FsbC5tcDQ=,is_final,empty ,binary /wD+"
    const length = { ...tus, "upload-length": "8" }
    const created = await server.ask("POST", uploadsOf(bobs), { headers: { ...length, "upload-metadata": given } })
    expect(created.status).toBe(201)
    const head = await server.ask("HEAD", created.headers.get("location")!, { headers: tus })
    expect(head.headers.get("upload-metadata")).toBe(given)
    const without = await server.ask("HEAD", await create(8), { headers: tus })
    expect(without.headers.has("upload-metadata")).toBe(false)
    // Keys MUST be unique and MUST NOT be empty, and values MUST be Base64.
    for (const wrong of ["a YQ==,a Yg==", ",", "a !", "a YQ== b"]) {
      const status = await statusOf("POST", uploadsOf(bobs), { ...length, "upload-metadata": wrong })
      expect([wrong, status]).toEqual([wrong, 400])
    }
  })

  it("MUST answer a creation with 201 and Location, and one with bytes with Upload-Offset", async () => {
    const file = aVideo(64)
    const { "upload-offset": _, ...bytes } = patch(0)
    const headers = { ...bytes, "upload-length": "64" }
    const part = await server.ask("POST", uploadsOf(bobs), { headers, body: new Uint8Array(file.subarray(0, 40)) })
    expect([part.status, part.headers.get("upload-offset")]).toEqual([201, "40"])
    const path = part.headers.get("location")!
    expect(path).toMatch(/^\/api\/settings\/recordings\/[\w-]+\/uploads\/[\w-]+$/)
    expect((await server.ask("HEAD", path, { headers: tus })).headers.get("upload-offset")).toBe("40")
    const whole = await server.ask("POST", uploadsOf(bobs), { headers, body: new Uint8Array(file) })
    expect([whole.status, whole.headers.get("upload-offset")]).toEqual([201, "64"])
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
    // An upload of 0 bytes is complete at once, and no video.
    const empty = await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, "upload-length": "0" } })
    expect(empty.status).toBe(400)
  })

  it("MUST have Upload-Expires, an HTTP date, in answers to POST and PATCH while the upload can expire", async () => {
    const created = await server.ask("POST", uploadsOf(bobs), { headers: { ...tus, "upload-length": "64" } })
    const path = created.headers.get("location")!
    const part = await server.ask("PATCH", path, { headers: patch(0), body: new Uint8Array(aVideo(40)) })
    const dates = [created, part].map(({ headers }) => headers.get("upload-expires")!)
    for (const date of dates) expect(new Date(date).toUTCString()).toBe(date)
    expect(dates[1]).toBe(dates[0])
  })

  it("MUST answer DELETE with 204, of a complete upload too, and SHOULD answer later requests with 404", async () => {
    const complete = await create(64)
    expect(await statusOf("PATCH", complete, patch(0), aVideo(64))).toBe(204)
    for (const path of [await create(8), complete]) {
      expect(await statusOf("DELETE", path, tus)).toBe(204)
      expect(await statusOf("HEAD", path, tus)).toBe(404)
      expect(await statusOf("PATCH", path, patch(0), Buffer.from("x"))).toBe(404)
      expect(await statusOf("DELETE", path, tus)).toBe(404)
    }
    expect((await downloaded(server)).status).toBe(200)
  })

  it("is spoken by tus-js-client, also with overridden methods", async () => {
    const file = aVideo(100_000)
    const { sent } = await uploadWith(file, {
      endpoint: `${server.url}${uploadsOf(bobs)}`,
      chunkSize: 40_000,
      overridePatchMethod: true
    })
    expect(sent.map(({ status }) => status)).toEqual([201, 204, 204, 204])
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
  })
})
