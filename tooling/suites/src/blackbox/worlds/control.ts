import { describe, expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import type { OpenApi, Operation } from "../../support/contract.ts"
import { type Emulator, refusalOf } from "../../support/emulator.ts"
import { hooked } from "../../support/hooks.ts"
import type { Call } from "../../support/http.ts"
import { blackbox, bodyOf, refusalV1, refusalV2 } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** The control plane: whom it serves, what it takes, and how it says no. */

const calls: ReadonlyArray<[method: string, path: string, statuses: ReadonlyArray<number>]> = [
  ["get", "/_emulator", [200]],
  ["delete", "/_emulator", [204, 409]],
  ["post", "/_emulator/worlds", [201, 400, 409]],
  ["post", "/_emulator/reset", [200, 409]],
  ["post", "/_emulator/fixtures", [201, 400]],
  ["post", "/_emulator/folders/{folder}/recordings", [200, 201, 400, 404]],
  ["put", "/_emulator/recordings/{uuid}/video/{version}", [200, 400, 404]],
  ["delete", "/_emulator/recordings/{uuid}/video/{version}", [200, 404]],
  ["get", "/_emulator/clock", [200]],
  ["post", "/_emulator/clock/advance", [200, 400, 409]],
  ["post", "/_emulator/sinks", [201, 400, 409]],
  ["get", "/_emulator/sinks/{id}", [200, 404]],
  ["put", "/_emulator/sinks/{id}", [200, 400, 404]],
  ["get", "/_emulator/deliveries", [200, 400]]
]

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "The control plane", () => {
    const advance = (init: Call) => emulator.fetch("/_emulator/clock/advance", { method: "POST", ...init })
    const world = (init: Call) => emulator.fetch("/_emulator", init)
    const body = JSON.stringify({ by: 0 })

    describe("application/json only", () => {
      test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"])(
        "%s is 415",
        async (type) => {
          const answer = await advance({ body, headers: { "content-type": type } })
          expect(bodyOf<{ error: string }>(answer, 415).error, String(answer)).toMatch(/\S/)
        }
      )

      test("a body without a content type is 415", async () => {
        bodyOf(await advance({ body }), 415)
      })

      test.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
        "%s is accepted",
        async (type) => {
          bodyOf(await advance({ body, headers: { "content-type": type } }))
        }
      )

      test("415 applies to every call that has a body", async () => {
        const { object } = await emulator.start(hooked([200]))
        const text = { body: "{}", headers: { "content-type": "text/plain" } }
        const paths = ["/fixtures", "/sinks", "/clock/advance", "/folders/f1/recordings"]
        for (const path of paths) {
          bodyOf(await emulator.fetch(`/worlds/${object.world}/_emulator${path}`, { method: "POST", ...text }), 415)
        }
        bodyOf(await emulator.fetch("/_emulator/worlds", { method: "POST", ...text }), 415)
        bodyOf(await emulator.fetch(`/worlds/${object.world}/_emulator/sinks/crm`, { method: "PUT", ...text }), 415)
      })

      test("a call without a body needs no content type", async () => {
        const made = await emulator.start({})
        bodyOf(await made.control("/reset", { method: "POST" }))
      })
    })

    describe("requests of web pages are refused", () => {
      test.each([
        "https://evil.test",
        "http://evil.test",
        "null",
        "http://127.0.0.1.evil.test",
        "http://localhost.evil.test"
      ])("Origin %s is 403", async (origin) => {
        expect(bodyOf<{ error: string }>(await world({ headers: { origin } }), 403).error).toMatch(/\S/)
        bodyOf(await advance({ body, headers: { origin, "content-type": "application/json" } }), 403)
      })

      test("an origin of another port is 403", async () => {
        const port = Number(new URL((await emulator.ready()).base_url).port)
        bodyOf(await world({ headers: { origin: `http://127.0.0.1:${port + 1}` } }), 403)
      })

      test("its own origin is accepted", async () => {
        bodyOf(await world({ headers: { origin: new URL((await emulator.ready()).base_url).origin } }))
      })

      test.each([
        "evil.test",
        "evil.test:4010",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "192.0.2.1",
        "127.0.0.1@evil.test"
      ])("Host %s is 403", async (host) => {
        expect(bodyOf<{ error: string }>(await world({ headers: { host } }), 403).error).toMatch(/\S/)
        bodyOf(await advance({ body, headers: { host, "content-type": "application/json" } }), 403)
        bodyOf(await emulator.fetch("/_emulator/openapi.json", { headers: { host } }), 403)
      })

      test.each(["evil.test", "127.0.0.1.evil.test:4010"])(
        "the API refuses Host %s with 403 too, before 401 and in its version's shape",
        async (host) => {
          const world = await emulator.start(hooked([200]))
          const headers = { host }
          const said = `Host ${host} is not this emulator's; name it with --allow-host`
          for (const token of [undefined, ada]) {
            expect(refusalV2(await world.fetch("/api/v2/recordings", { headers, token }), 403)).toBe(said)
            expect(refusalV1(await world.fetch("/api/v1/recordings", { headers, token }), 403)).toBe(said)
            expect(refusalV2(await world.fetch("/api/settings/folders", { headers, token }), 403)).toBe(said)
          }
          refusalV2(await world.fetch(`/r/${uuid(1)}`, { headers }), 403)
          const [entry] = await world.journal("?kind=request")
          expect(entry).toMatchObject({ path: "/api/v2/recordings", status: 403, user: null, rule: "Worlds" })
        }
      )

      test("NUL in a body or a query is 400, with its path", async () => {
        const world = await emulator.start(hooked([200]))
        const nul = { path: "match.token", message: "must not contain NUL or a lone surrogate" }
        const fault = { match: { token: "a\u0000" }, respond: [500] }
        expect(refusalOf(await world.post("/faults", fault)).errors).toEqual([nul])
        expect(refusalOf(await world.control("/deliveries?recording=%00")).errors).toEqual([
          { ...nul, path: "recording" }
        ])
        const document = { folders: [{ name: "a\ud800" }] }
        expect(refusalOf(await world.post("/fixtures", document)).errors).toEqual([{ ...nul, path: "folders[0].name" }])
        const made = await emulator.fetch("/_emulator/worlds", { method: "POST", json: { fixtures: document } })
        expect(refusalOf(made).errors).toEqual([{ ...nul, path: "folders[0].name" }])
      })

      test.each(["127.0.0.1", "localhost", "LOCALHOST:4010", "127.0.0.1:1", "[::1]", "[::1]:4010"])(
        "Host %s is accepted as loopback",
        async (host) => {
          bodyOf(await world({ headers: { host } }))
        }
      )

      test("these checks apply to every world", async () => {
        const { object } = await emulator.start({})
        const path = `/worlds/${object.world}/_emulator`
        bodyOf(await emulator.fetch(path, { headers: { host: "evil.test" } }), 403)
        bodyOf(await emulator.fetch(path, { headers: { origin: "https://evil.test" }, method: "DELETE" }), 403)
        bodyOf(await emulator.fetch(path))
      })

      test("responses of the control plane have no CORS headers", async () => {
        const answer = await world({})
        expect(answer.header("access-control-allow-origin"), String(answer)).toBeUndefined()
        const preflight = await world({
          method: "OPTIONS",
          headers: { origin: "https://evil.test", "access-control-request-method": "POST" }
        })
        expect(preflight.status, String(preflight)).toBeGreaterThanOrEqual(400)
        expect(preflight.header("access-control-allow-origin"), String(preflight)).toBeUndefined()
      })
    })

    test("control requests need no token; the API does", async () => {
      const made = await emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }))
      bodyOf(await made.control("/clock"))
      expect((await made.fetch("/api/v2/recordings")).status).toBe(401)
      expect((await made.fetch("/api/v2/recordings", { token: ada })).status).toBe(200)
    })

    describe("bad requests are 400 {error, errors: [{path, message}]}", () => {
      const headers = { "content-type": "application/json" }

      test.each(["", "{", "nonsense", '{"by": 0', "\u0000"])("malformed JSON is refused: %j", async (text) => {
        refusalOf(await advance({ body: text, headers }))
      })

      test.each(["null", "[]", "5", '"idle"'])("%s is refused because it is not an object", async (text) => {
        refusalOf(await advance({ body: text, headers }))
      })

      test("all errors of a body are reported at once", async () => {
        const json = {
          now: "x",
          seed: "y",
          colour: 1,
          config: { page_size: 0, shade: 2 },
          fixtures: { users: [{}], x: 1 }
        }
        const answer = await emulator.fetch("/_emulator/worlds", { method: "POST", json })
        expect(
          refusalOf(answer)
            .errors.map(({ path }) => path)
            .toSorted()
        ).toEqual(["colour", "config.page_size", "config.shade", "now", "seed", "users[0].email", "users[0].name", "x"])
      })
    })

    test("an unknown control path is 404, a wrong method 404 or 405, each with an error", async () => {
      const unknown = await emulator.fetch("/_emulator/nope")
      expect(bodyOf<{ error: string }>(unknown, 404).error, String(unknown)).toMatch(/\S/)
      const wrong = await emulator.fetch("/_emulator/clock", { method: "DELETE" })
      expect([404, 405], String(wrong)).toContain(wrong.status)
      expect(wrong.as<{ error: string }>().error, String(wrong)).toMatch(/\S/)
    })

    describe("/_emulator/openapi.json", () => {
      const load = async () => bodyOf<OpenApi>(await emulator.fetch("/_emulator/openapi.json"))
      const find = (document: OpenApi, method: string, path: string) =>
        Object.entries(document.paths).find(([template]) => template.replaceAll(/\{[^}]+\}/g, "{}") === path)?.[1][
          method
        ]

      test.each(calls)("names %s %s with %j", async (method, path, statuses) => {
        const document = await load()
        expect(document.openapi).toMatch(/^3\.1\./)
        const operation = find(document, method, path.replaceAll(/\{[^}]+\}/g, "{}")) as Operation | undefined
        expect(operation, Object.keys(document.paths).join(" ")).toBeDefined()
        expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses.map(String)))
      })

      test("servers has the world's relative address first, then its absolute one", async () => {
        const { object } = await emulator.start({})
        const { base_url } = await emulator.ready()
        const urls = async (path: string) =>
          bodyOf<OpenApi>(await emulator.fetch(`${path}/_emulator/openapi.json`)).servers?.map(({ url }) => url)
        const world = `/worlds/${object.world}`
        expect(await urls("")).toEqual(["/", base_url])
        expect(await urls(world)).toEqual([world, base_url + world])
      })

      test("the document refers to the start document's schema wherever one is used", async () => {
        const document = JSON.stringify((await load()).paths)
        expect(document.match(/"#\/components\/schemas\/StartDocument"/g)).toHaveLength(3)
      })

      test("the document has the start document's JSON Schema", async () => {
        const text = JSON.stringify(await load())
        for (const key of ["audit_destinations", "technical_details", "speaker_map", "v1_platform", "max_retries"]) {
          expect(text, key).toContain(`"${key}"`)
        }
      })
    })
  })
