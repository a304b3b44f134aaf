import { expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import type { Sent } from "./shapes.ts"
import { makeWorld } from "./world.ts"

const origin = "https://app.example.com"
const other = "https://evil.example"

const makeShared = () => makeWorld({ config: { corsOrigins: [origin, "http://localhost:3000"] } })

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"))

const preflight = (from: string, method = "PATCH"): Sent => ({
  as: null,
  method: "OPTIONS",
  headers: {
    origin: from,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type"
  }
})

const apis = ["/api/v2/recordings", "/api/v1/recordings", "/api/settings/folders"]

it.each(apis)("the preflight of an allowed origin is answered without a token (R25): %s", async (path) => {
  const world = await makeShared()
  const answer = await world.fetch(path, preflight(origin))
  expect([answer.status, await answer.text()]).toEqual([204, ""])
  expect(corsHeaders(answer.headers)).toMatchObject({
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "DELETE, GET, HEAD, PATCH, POST, PUT",
    "access-control-allow-headers": expect.stringContaining("authorization, content-type"),
    "access-control-max-age": "600"
  })
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false)
})

it.each(apis)("pages of an allowed origin can read answers and refusals (R25): %s", async (path) => {
  const world = await makeShared()
  for (const [as, status] of [
    ["ada", 200],
    ["unknown", 401]
  ] as const) {
    const answer = await world.fetch(path, { as, headers: { origin } })
    expect(answer.status).toBe(status)
    expect(corsHeaders(answer.headers)).toEqual({
      vary: "Origin",
      "access-control-allow-origin": origin,
      "access-control-expose-headers": expect.stringContaining("x-request-id")
    })
  }
  const download = await world.fetch(`/api/v2/recordings/${ids.bobs}/download`, { headers: { origin } })
  expect(download.headers.get("access-control-expose-headers")).toContain("content-disposition")
})

it("pages of other origins can read nothing, even if their origin resembles an allowed one", async () => {
  const world = await makeShared()
  for (const from of [other, "https://app.example.com.evil.example", "http://app.example.com", "null"]) {
    const refused = await world.fetch("/api/v2/recordings", preflight(from))
    expect(refused.status).toBe(401)
    const answer = await world.fetch("/api/v2/recordings", { headers: { origin: from } })
    for (const { headers } of [refused, answer]) expect(corsHeaders(headers)).toEqual({ vary: "Origin" })
  }
  // The same address answers differently to those who are allowed: caches have to know.
  expect(corsHeaders((await world.fetch("/api/v2/recordings")).headers)).toEqual({ vary: "Origin" })
})

it("CORS applies to tokens, never to cookies: not to sign-in, sessions or pages", async () => {
  const world = await makeShared()
  const json = { email: "ada@acme.test", password: "x" }
  const signIn = await world.fetch("/api/settings/sign-in", { as: null, method: "POST", json, headers: { origin } })
  expect(signIn.status).toBe(403)
  const asked = await world.fetch("/api/settings/sign-in", preflight(origin, "POST"))
  const cookie = { origin, cookie: "tapedeck_session=x" }
  const session = await world.fetch("/api/settings/session", { as: null, headers: cookie })
  const page = await world.fetch(`/r/${ids.bobs}`, { as: null, headers: { origin } })
  for (const { headers } of [signIn, asked, session, page]) {
    expect(headers.has("access-control-allow-origin")).toBe(false)
  }
  const token = await world.fetch("/api/settings/folders", { headers: cookie })
  expect(token.headers.get("access-control-allow-origin")).toBe(origin)
})

it("answers have no CORS headers if no origins are configured", async () => {
  const world = await makeWorld()
  expect((await world.fetch("/api/v2/recordings", preflight(origin))).status).toBe(401)
  const answer = await world.fetch("/api/v2/recordings", { headers: { origin } })
  expect(corsHeaders(answer.headers)).toEqual({})
})
