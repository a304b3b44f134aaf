import { describe, expect, test } from "vitest"
import { type Asked, uuidOf, type World, worldOf } from "./world.ts"

interface Request extends Asked {
  readonly token?: string | null
  readonly path: string
}

/** One step: the request that the refusal before it asked for, and what refuses it now. */
type Step = readonly [status: number, why: string, Partial<Request>]

const recording = `/api/v2/recordings/${uuidOf(1)}`

const json = { "content-type": "application/json" }

/** Requests that break every rule of R1 that can meet; each step mends the one that refused, and meets the next. */
const walks: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "a change of a recording": [
    [414, "the address is too long", { path: `/nowhere?${"x".repeat(20_000)}`, method: "PUT", token: null }],
    [413, "the body is too large", { path: "/api/v2/nowhere", body: "x".repeat(1024 * 1024 + 1), headers: json }],
    [401, "the caller is unknown", { body: "not json", headers: { "content-type": "text/plain" } }],
    [404, "there is no such path", { token: "eve" }],
    [405, "the path has no such method", { path: `/api/v2/recordings/${uuidOf(9)}` }],
    [403, "the account has no API access", { method: "PATCH" }],
    [403, "the caller is no admin", { token: "bob" }],
    [415, "the body is no JSON by its type", { token: "ada" }],
    [400, "the body is no JSON", { headers: json }],
    [404, "there is no such recording", { body: JSON.stringify({ recording: { title: " " } }) }],
    [422, "the title is blank", { path: recording }],
    [200, "nothing", { body: JSON.stringify({ recording: { title: "New" } }) }]
  ],
  "a download": [
    [
      401,
      "the caller is unknown",
      { path: `/api/v2/recordings/${uuidOf(9)}/download`, headers: { range: "bytes=99-" }, token: null }
    ],
    [403, "the account has no API access", { token: "eve" }],
    [404, "there is no such recording", { token: "ada" }],
    [409, "there is no file yet", { path: `/api/v2/recordings/${uuidOf(2)}/download` }],
    [416, "the file ends before that", { path: `${recording}/download` }],
    [206, "nothing", { headers: { range: "bytes=2-" } }]
  ],
  "a ticket search": [
    [401, "the caller is unknown", { path: "/api/v2/recordings?ticket_id=&page=0", token: "unknown" }],
    [403, "the account has no API access", { token: "eve" }],
    [400, "the page is 0 and the ticket empty", { token: "bob" }],
    [400, "the ticket is empty", { path: "/api/v2/recordings?ticket_id=" }],
    [200, "nothing", { path: "/api/v2/recordings?ticket_id=7" }]
  ],
  "a search for a user": [
    [401, "the caller is unknown", { path: "/api/v2/users/search", token: null }],
    [403, "the account has no API access", { token: "eve" }],
    [403, "the caller is no admin", { token: "bob" }],
    [400, "there is no e-mail", { token: "ada" }],
    [404, "there is no such user", { path: "/api/v2/users/search?email=unknown@acme.test" }],
    [200, "nothing", { path: "/api/v2/users/search?email=BOB@acme.test" }]
  ]
}

const world = (config: Parameters<typeof worldOf>[1] = {}) =>
  worldOf({ recordings: [{ uuid: uuidOf(1), video: { original: { size: 10 } } }, { uuid: uuidOf(2) }] }, config)

const ask = (asked: World, { path, token = null, ...rest }: Request) => asked.ask(token, path, rest)

/** What the handlers promise: R1's order of refusals, and the shape that every answer has. */
export const http = (): void => {
  describe("refusals come in R1's order", () => {
    test.each(Object.entries(walks))("of %s", async (_, steps) => {
      const asked = await world()
      let request: Request = { path: "/" }
      const met: Array<[number, string]> = []
      for (const [, why, mended] of steps) {
        request = { ...request, ...mended }
        met.push([(await ask(asked, request)).status, why])
      }
      expect(met).toEqual(steps.map(([status, why]) => [status, why]))
    })

    test("a spent rate limit comes behind 401 and before everything else", async () => {
      const asked = await world({ rate_limit: { requests: 1, per_ms: 60_000 } })
      await asked.ask("bob", "/api/v2/recordings")
      await asked.ask("eve", "/api/v2/recordings")
      const statusOf = async (token: string | null, path: string, method = "GET") =>
        (await asked.ask(token, path, { method })).status
      expect(await statusOf(null, "/api/v2/recordings")).toBe(401)
      for (const path of ["/api/v2/nowhere", "/api/v2/users", "/api/v2/recordings?page=0"]) {
        expect([path, await statusOf("bob", path)]).toEqual([path, 429])
      }
      expect(await statusOf("bob", "/api/v2/recordings", "PUT")).toBe(429)
      expect(await statusOf("eve", "/api/v2/recordings")).toBe(429)
      await asked.clock.advance({ by: "PT1M" })
      expect(await statusOf("bob", "/api/v2/recordings")).toBe(200)
    })
  })

  describe("every answer", () => {
    test("names itself, and a refusal says how to be let in", async () => {
      const asked = await world()
      const ids = new Set<string | null>()
      for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/v2/nowhere", "/nowhere"]) {
        ids.add((await asked.ask("ada", path)).headers.get("x-request-id"))
      }
      expect(ids.size).toBe(4)
      expect(ids).not.toContain(null)
      expect((await asked.ask(null, "/api/v2/recordings")).headers.get("www-authenticate")).toBe("Bearer")
      const put = await asked.ask("ada", recording, { method: "PUT" })
      expect(put.headers.get("allow")?.split(", ").toSorted()).toEqual(["GET", "HEAD", "PATCH"])
    })
  })
}
