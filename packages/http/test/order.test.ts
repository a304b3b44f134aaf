import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import type { Sent } from "./shapes.ts"
import { makeWorld, type TestWorld } from "./world.ts"

const tooLong = `x=${"y".repeat(8192)}`
const tooLarge = JSON.stringify({ recording: { title: "x".repeat(1024 * 1024) } })
const text = { "content-type": "text/plain" }
const json = { "content-type": "application/json" }
const declared = { ...json, "content-length": String(tooLarge.length) }
const patch = (uuid: string, body: string, headers: Record<string, string> = json) => ({ uuid, body, headers })

describe("refusals come in R1's order", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })

  // Each request is wrong in its own way and in all the ways that come after it.
  it.each<[string, string, Sent, number]>([
    [
      "a long target",
      `/api/v2/recordings?${tooLong}`,
      { as: null, method: "PATCH", headers: json, body: tooLarge },
      414
    ],
    [
      "a large body of declared length",
      "/api/v2/nothing",
      { as: null, method: "PATCH", headers: declared, body: "{" },
      413
    ],
    [
      "a large body of another type",
      "/api/v2/nothing",
      { as: null, method: "PATCH", headers: { ...declared, ...text }, body: "{" },
      413
    ],
    [
      "no token, before a large body of undeclared length",
      "/api/v2/nothing",
      { as: null, method: "PATCH", headers: json, body: tooLarge },
      401
    ],
    ["a large body of undeclared length", "/api/v2/nothing", { method: "PATCH", headers: json, body: tooLarge }, 413],
    [
      "a large body of undeclared length and another type",
      `/api/v2/recordings/${ids.unknown}`,
      { method: "PATCH", headers: text, body: tooLarge },
      413
    ],
    ["no token", "/api/v2/nothing", { as: null }, 401],
    ["no token, below v1", "/api/v1/nothing", { as: null }, 401],
    ["no token, anywhere below /api", "/api", { as: null }, 401],
    ["an unknown token", "/api/v2/recordings", { as: "unknown" }, 401],
    ["a deactivated user's token", "/api/v2/recordings", { as: "gone" }, 401],
    ["an unknown path", "/api/v2/nothing?page=0", { as: "nia" }, 404],
    ["a wrong method", "/api/v2/users?page=0", { as: "nia", method: "POST", headers: text, body: "x" }, 405],
    ["an account without API access", "/api/v2/users?page=0", { as: "nia" }, 403],
    ["a member on an admin's endpoint", "/api/v2/users?page=0", { as: "bob" }, 403],
    [
      "a member's PATCH, whatever its body",
      `/api/v2/recordings/${ids.unknown}`,
      { as: "bob", method: "PATCH", ...patch("", "", text) },
      403
    ],
    ["a wrong query", `/api/v2/recordings/${ids.unknown}/transcript?page=0`, {}, 400],
    ["a wrong content type", `/api/v2/recordings/${ids.unknown}`, { method: "PATCH", headers: text, body: "{" }, 415],
    ["a malformed body", `/api/v2/recordings/${ids.unknown}`, { method: "PATCH", headers: json, body: "{" }, 400],
    ["no such recording", `/api/v2/recordings/${ids.unknown}`, { json: { recording: { title: null } } }, 404],
    ["no file yet", `/api/v2/recordings/${ids.adas}/download`, { headers: { range: "bytes=999-" } }, 409],
    ["a range past the end", `/api/v2/recordings/${ids.bobs}/download`, { headers: { range: "bytes=999-" } }, 416],
    ["values that are not allowed", `/api/v2/recordings/${ids.bobs}`, { json: { recording: { title: null } } }, 422]
  ])("answers %s first: %s", async (_, path, sent, status) => {
    expect((await world.ask(path, sent)).status).toBe(status)
  })

  it("answers 429 after 401 and before 404 (R18)", async () => {
    const limited = await makeWorld({ config: { rateLimit: { requests: 2, perMs: 10_000 } } })
    expect((await limited.ask("/api/v2/nothing")).status).toBe(404)
    await limited.wait(3500)
    expect((await limited.ask("/api/v2/recordings")).status).toBe(200)
    const { status, headers, body } = await limited.ask("/api/v1/nothing")
    expect(status).toBe(429)
    expect(headers.get("retry-after")).toBe("7")
    expect(body.error.code).toBe(429)
    expect((await limited.ask("/api/v2/nothing", { as: "unknown" })).status).toBe(401)
    const large = { method: "PATCH", headers: json, body: tooLarge }
    expect((await limited.ask("/api/v2/nothing", large)).status).toBe(429)
    expect((await limited.ask("/api/v2/nothing", { ...large, headers: declared })).status).toBe(413)
    // Each token has its own; and time passes.
    expect((await limited.ask("/api/v2/recordings", { as: "bob" })).status).toBe(200)
    await limited.wait(6500)
    expect((await limited.ask("/api/v2/recordings")).status).toBe(200)
  })
})

describe("a refusal", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })

  it("has v1's shape below /api/v1, and v2's elsewhere (R2)", async () => {
    expect((await world.ask("/api/v1/nothing")).body).toEqual({ error: { message: "Not found", code: 404 } })
    expect((await world.ask("/api/v1?x")).body).toEqual({ error: { message: "Not found", code: 404 } })
    expect((await world.ask("/api/v2/nothing")).body).toEqual({ error: "Not found" })
    expect((await world.ask("/api/v10/nothing")).body).toEqual({ error: "Not found" })
    expect((await world.ask("/nothing", { as: null })).body).toEqual({ error: "Not found" })
  })

  it.each(["/api/v1/recordings", "/api/v2/recordings"])("requests a Bearer token at %s", async (path) => {
    const { status, headers } = await world.ask(path, { as: null })
    expect(status).toBe(401)
    expect(headers.get("www-authenticate")).toBe("Bearer")
  })

  it.each([
    ["no scheme", "ada-token"],
    ["another scheme", "Basic ada-token"],
    ["no token", "Bearer"],
    ["two tokens", "Bearer ada-token ada-token"],
    ["another case", "Bearer ADA-TOKEN"]
  ])("is 401 for an Authorization with %s", async (_, authorization) => {
    const { status } = await world.ask("/api/v2/recordings", { as: null, headers: { authorization } })
    expect(status).toBe(401)
  })

  it("accepts the scheme in any case", async () => {
    const headers = { authorization: "bearer ada-token" }
    expect((await world.ask("/api/v2/recordings", { as: null, headers })).status).toBe(200)
  })

  it.each([
    ["POST", "/api/v2/recordings", "GET, HEAD"],
    ["DELETE", `/api/v2/recordings/${ids.bobs}`, "GET, HEAD, PATCH"],
    ["PUT", `/api/v1/recordings/${ids.bobs}`, "GET, HEAD"],
    ["PATCH", "/api/v2/users/search", "GET, HEAD"],
    ["OPTIONS", "/api/v2/users", "GET, HEAD"],
    ["POST", "/api/v2/openapi.json", "GET, HEAD"],
    ["POST", `/r/${ids.bobs}`, "GET, HEAD"]
  ])("lists the allowed methods: %s %s (R20)", async (method, path, allow) => {
    const { status, headers } = await world.ask(path, { method })
    expect(status).toBe(405)
    expect(headers.get("allow")).toBe(allow)
  })

  it.each([
    "/api/v2/recordings/",
    "/api/v2//recordings",
    "/API/v2/recordings",
    "/api/V2/recordings",
    "/api/v2/recordings/x/y/z",
    "/api/v2",
    "/api/v2/recordings/%zz"
  ])("is 404 for an unknown path: %s", async (path) => {
    expect((await world.ask(path)).status).toBe(404)
  })

  it("cannot be avoided by another spelling of the path", async () => {
    for (const path of ["/%61pi/v2/recordings", "/api/v2/%72ecordings", "/api/v2/recordings;x"]) {
      expect((await world.ask(path, { as: null })).status).toBe(401)
    }
  })
})
