import { describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { boom, header, lines } from "../../support/captures.ts"
import { type Emulator, pathsOf, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import type { Recording, RecordingPage, WorldObject } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Worlds: made, isolated, reset and deleted. */

const worldKeys = [
  "base_url",
  "config",
  "control_url",
  "in_flight",
  "now",
  "pending_count",
  "seed",
  "tokens",
  "version",
  "world"
]
const defaults = {
  public_url: "https://tapedeck.test",
  vendor: "Tapedeck",
  page_size: 100,
  rate_limit: null,
  standard_webhooks: true,
  real_timeout_ms: 5_000,
  allow_receivers: [],
  journal_size: 10_000,
  strict_queries: false
}
const title = async (world: World) =>
  bodyOf<Recording>(await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: ada })).title
const retitle = async (world: World, to: string) =>
  bodyOf(
    await world.fetch(`/api/v2/recordings/${uuid(1)}`, {
      method: "PATCH",
      token: ada,
      json: { recording: { title: to } }
    })
  )

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Worlds", () => {
    describe("the World object", () => {
      test("of the default world has every key and every default, at GET /_emulator and on the command line", async () => {
        const ready = await emulator.ready()
        expect(keysOf(ready)).toEqual(worldKeys)
        expect(ready).toMatchObject({
          world: "default",
          now: start,
          seed: 1,
          tokens: {},
          in_flight: 0,
          pending_count: 0
        })
        expect(ready.config).toEqual(defaults)
        expect(ready.version).toMatch(/^\d+\.\d+\.\d+/)
        expect(ready.control_url).toBe(`${ready.base_url}/_emulator`)
        expect(bodyOf(await emulator.fetch("/_emulator"))).toEqual(ready)
      })

      test("is returned by POST /_emulator/worlds with 201 and its fixtures as created, at /worlds/{id}", async () => {
        const ready = await emulator.ready()
        const body = bodyOf<WorldObject>(await emulator.create(acme({}), { id: "mine" }), 201)
        expect(keysOf(body)).toEqual([...worldKeys, "fixtures"].toSorted())
        expect(body).toMatchObject({
          world: "mine",
          base_url: `${ready.base_url}/worlds/mine`,
          control_url: `${ready.base_url}/worlds/mine/_emulator`,
          version: ready.version,
          now: start,
          seed: 1,
          config: defaults
        })
        expect(body.tokens).toMatchObject({ "ada@acme.test": ada, "bob@acme.test": bob })
        const { fixtures: _, ...world } = body as WorldObject & { fixtures: unknown }
        expect(bodyOf(await emulator.fetch("/worlds/mine/_emulator"))).toEqual(world)
      })

      test("General rules 3: the emulator serves plain HTTP on loopback", async () => {
        expect((await emulator.ready()).base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      })

      test("is empty for an empty body", async () => {
        const body = bodyOf<WorldObject>(await emulator.fetch("/_emulator/worlds", { method: "POST", json: {} }), 201)
        expect(body).toMatchObject({ tokens: {}, now: start, seed: 1 })
      })

      test("has its own now, seed and config; the call's config overrides the document's, key by key", async () => {
        const world = await emulator.start(
          { config: { vendor: "Doc", page_size: 7, public_url: "https://doc.test" } },
          { now: "2031-05-06T07:08:09.010Z", seed: 42, config: { vendor: "Call", real_timeout_ms: 50 } }
        )
        expect(world.object).toMatchObject({ now: "2031-05-06T07:08:09.010Z", seed: 42 })
        expect(world.object.config).toEqual({
          ...defaults,
          vendor: "Call",
          real_timeout_ms: 50,
          page_size: 7,
          public_url: "https://doc.test"
        })
      })

      test("has pending_count with the number of pending events", async () => {
        const world = await emulator.start(hooked([200]))
        await world.addToFolder("f1", uuid(1))
        await world.addToFolder("f1", uuid(2))
        expect(bodyOf(await world.control(""))).toMatchObject({ pending_count: 2, in_flight: 0 })
      })
    })

    describe("the effect of config", () => {
      test("R6: page_size sets the page size of lists, not of the transcript", async () => {
        const segments = Array.from({ length: 101 }, (_, n) => ({ start_seconds: n, end_seconds: n, text: "x" }))
        const recordings = Array.from({ length: 5 }, (_, n) => ({ uuid: uuid(n + 1), transcript: { segments } }))
        const world = await emulator.start(acme({ recordings }), { config: { page_size: 2 } })
        const list = async (path: string) => bodyOf<RecordingPage>(await world.fetch(path, { token: ada })).pagination
        for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/v2/users"]) {
          expect(await list(path)).toMatchObject({ items: 2, page: 1, next_page: 2, from: 1, to: 2 })
        }
        expect(await list(`/api/v2/recordings/${uuid(1)}/transcript`)).toMatchObject({ items: 100, pages: 2 })
      })

      test("N2: vendor sets the word of the own platform, in the world's OpenAPI document too", async () => {
        const world = await emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }), { config: { vendor: "Acme" } })
        const answer = await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: ada })
        expect(bodyOf<Recording>(answer).metadata).toMatchObject({
          recording_source: "Acme app",
          helpdesk_info: { platform: "acme" }
        })
        const refused = await world.fetch("/api/v2/recordings?ticket_id=1&provider=acme", { token: ada })
        expect(refused.status, String(refused)).toBe(400)
      })

      test("W12: public_url is the base of url", async () => {
        const config = { public_url: "https://rec.acme.test" }
        const world = await emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }), { config })
        const answer = await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: ada })
        expect(bodyOf<Recording>(answer).metadata.url).toBe(`https://rec.acme.test/r/${uuid(1)}`)
      })
    })

    describe("ids", () => {
      test("worlds that are made at the same time have ids of their own, and their own start", async () => {
        // The emulator compresses logs beside other work: requests come between the parts of a start.
        const log = lines(header, boom)
        const made = await Promise.all(
          Array.from({ length: 8 }, (_, number) =>
            emulator.create(acme({ recordings: [{ uuid: uuid(1), title: `${number}`, log }] }))
          )
        )
        const bodies = made.map((response) => bodyOf<WorldObject>(response, 201))
        expect(new Set(bodies.map(({ world }) => world)).size).toBe(8)
        const titles = bodies.map(async ({ world }) => {
          const path = `/worlds/${world}/api/v2/recordings/${uuid(1)}`
          return bodyOf<Recording>(await emulator.fetch(path, { token: ada })).title
        })
        expect(await Promise.all(titles)).toEqual(bodies.map((_, number) => `${number}`))
        const same = await Promise.all(bodies.map(() => emulator.create(acme({}), { id: "same" })))
        expect(same.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
      })

      test("ids of worlds are w1, w2, … by default", async () => {
        const [first, second] = [await emulator.start({}), await emulator.start({})]
        const number = (world: World) => Number(/^w(\d+)$/.exec(world.object.world)?.[1])
        expect(number(second)).toBe(number(first) + 1)
      })

      test("an id in use is 409, `default` included", async () => {
        const world = await emulator.start(acme({ recordings: [{ uuid: uuid(1), title: "First" }] }), { id: "taken" })
        bodyOf(await emulator.create({}, { id: "taken" }), 409)
        bodyOf(await emulator.create({}, { id: "default" }), 409)
        expect(await title(world)).toBe("First")
      })

      test.each(["", "a/b", "a b", "..", "ä", "a?b"])("%j is refused as an id with 400", async (id) => {
        expect(refusalOf(await emulator.create({}, { id })).errors.map(({ path }) => path)).toEqual(["id"])
      })

      test("an unknown world is 404 for every call", async () => {
        for (const path of ["", "/clock", "/deliveries", "/sinks/x"]) {
          const answer = await emulator.fetch(`/worlds/nope/_emulator${path}`)
          expect(bodyOf<{ error: string }>(answer, 404).error, String(answer)).toMatch(/\S/)
        }
        const move = { method: "POST", json: { by: 0 } }
        bodyOf(await emulator.fetch("/worlds/nope/_emulator/clock/advance", move), 404)
        bodyOf(await emulator.fetch("/worlds/nope/_emulator", { method: "DELETE" }), 404)
        expect((await emulator.fetch("/worlds/nope/api/v2/recordings", { token: ada })).status).toBe(404)
      })
    })

    test.each([
      ["now", { now: "yesterday" }],
      ["now", { now: 5 }],
      ["seed", { seed: "one" }],
      ["seed", { seed: 1.5 }],
      ["id", { id: 5 }],
      ["colour", { colour: "red" }],
      ["config.colour", { config: { colour: "red" } }],
      ["config.page_size", { config: { page_size: 0 } }],
      ["config.page_size", { config: { page_size: "ten" } }],
      ["config.public_url", { config: { public_url: "nowhere" } }],
      ["config.vendor", { config: { vendor: "" } }],
      ["config.vendor", { config: { vendor: "a b:" } }],
      ["config.rate_limit.requests", { config: { rate_limit: { requests: 0, per_ms: 1000 } } }],
      ["config.rate_limit.per_ms", { config: { rate_limit: { requests: 1 } } }],
      ["config.standard_webhooks", { config: { standard_webhooks: "yes" } }],
      ["config.real_timeout_ms", { config: { real_timeout_ms: -1 } }],
      ["config.allow_receivers", { config: { allow_receivers: "any" } }],
      ["config.journal_size", { config: { journal_size: -1 } }],
      ["config.strict_queries", { config: { strict_queries: "yes" } }]
    ])("an invalid body is 400 and names %s: %j", async (path, json) => {
      const answer = await emulator.fetch("/_emulator/worlds", { method: "POST", json })
      expect(refusalOf(answer).errors.map((error) => error.path)).toEqual([path])
    })

    test("an invalid document creates no world, and its errors have the document's own paths", async () => {
      const answer = await emulator.create({ recordings: [{ user: "no@one.test" }] }, { id: "unmade" })
      expect(refusalOf(answer).errors.map(({ path }) => path)).toEqual(["recordings[0].user"])
      bodyOf(await emulator.fetch("/worlds/unmade/_emulator"), 404)
    })

    test("worlds share no data, clock, sinks or deliveries", async () => {
      const document = hooked([200])
      const [one, other] = [await emulator.start(document), await emulator.start(document)]
      await retitle(one, "Changed")
      await one.addToFolder("f1", uuid(1))
      bodyOf(await one.post("/sinks", { id: "extra", respond: [200] }), 201)
      bodyOf(await one.post("/fixtures", { recordings: [{ uuid: uuid(9) }] }), 201)
      await one.advance({ by: "PT1H" })
      expect(await title(other)).toBe("Checkout fails")
      expect(await other.deliveries()).toEqual([])
      expect((await other.sink("crm")).requests).toEqual([])
      expect((await other.control("/sinks/extra")).status).toBe(404)
      expect((await other.fetch(`/api/v2/recordings/${uuid(9)}`, { token: ada })).status).toBe(404)
      expect(await other.now()).toBe(start)
      expect((await one.sink("crm")).requests).toHaveLength(1)
    })

    test("a token of one world is not valid in another", async () => {
      const one = await emulator.start({ users: [{ email: "x@acme.test", name: "X", token: "only-here" }] })
      const other = await emulator.start(acme({}))
      expect((await one.fetch("/api/v2/recordings", { token: "only-here" })).status).toBe(200)
      expect((await other.fetch("/api/v2/recordings", { token: "only-here" })).status).toBe(401)
    })

    describe("POST {c}/reset", () => {
      test("restores its start document and start instant, and removes later additions", async () => {
        const document = hooked([500], {}, { config: { page_size: 9 } })
        const world = await emulator.start(document, { now: "2027-01-01T00:00:00.000Z", seed: 5 })
        const before = bodyOf(await world.control(""))
        await retitle(world, "Changed")
        await world.fetch(`/r/${uuid(1)}`)
        await world.addToFolder("f1", uuid(1))
        bodyOf(await world.post("/sinks", { id: "extra", respond: [200] }), 201)
        bodyOf(await world.control("/sinks/crm", { method: "PUT", json: { respond: [200] } }))
        const late = {
          users: [{ email: "late@acme.test", name: "Late", token: "late" }],
          recordings: [{ uuid: uuid(9) }]
        }
        bodyOf(await world.post("/fixtures", late), 201)
        await world.advance({ by: "PT1H" })

        expect(bodyOf(await world.control("/reset", { method: "POST" }))).toEqual(before)
        expect(await world.clock()).toMatchObject({ now: "2027-01-01T00:00:00.000Z", pending: [] })
        expect(await title(world)).toBe("Checkout fails")
        expect(await world.deliveries()).toEqual([])
        expect(await world.sink("crm")).toMatchObject({ respond: [500], requests: [] })
        expect((await world.control("/sinks/extra")).status).toBe(404)
        expect((await world.fetch("/api/v2/recordings", { token: "late" })).status).toBe(401)
        expect((await world.fetch(`/api/v2/recordings/${uuid(9)}`, { token: ada })).status).toBe(404)
        const seen = bodyOf<Recording>(await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: ada }))
        expect(seen.metadata.impressions_count).toBe(0)
      })

      test("makes the same calls give the same ids and bytes", async () => {
        const world = await emulator.start(hooked([500]))
        const run = async () => {
          const ids = await world.addToFolder("f1", uuid(1))
          const moved = await world.advance({ until: "idle" })
          return { ids, moved, deliveries: await world.deliveries(), sink: await world.sink("crm") }
        }
        const first = await run()
        bodyOf(await world.control("/reset", { method: "POST" }))
        expect(await run()).toEqual(first)
      })

      test("accepts no keys: any key is 400, and nothing changes", async () => {
        const world = await emulator.start(hooked([200]))
        await retitle(world, "Stays")
        expect(pathsOf(await world.post("/reset", { now: start }))).toEqual(["now"])
        expect(await title(world)).toBe("Stays")
        bodyOf(await world.post("/reset", {}))
        expect(await title(world)).toBe("Checkout fails")
      })

      test("changes no other world", async () => {
        const [one, other] = [await emulator.start(hooked([200])), await emulator.start(hooked([200]))]
        await retitle(other, "Stays")
        bodyOf(await one.control("/reset", { method: "POST" }))
        expect(await title(other)).toBe("Stays")
      })
    })

    describe("DELETE {c}", () => {
      test("is 204 without a body; the world is then unknown, and its id free", async () => {
        const world = await emulator.start(acme({}), { id: "gone" })
        const answer = await world.control("", { method: "DELETE" })
        expect(answer.status, String(answer)).toBe(204)
        expect(answer.body.length).toBe(0)
        bodyOf(await emulator.fetch("/worlds/gone/_emulator"), 404)
        expect((await emulator.fetch("/worlds/gone/api/v2/recordings", { token: ada })).status).toBe(404)
        bodyOf(await emulator.create({}, { id: "gone" }), 201)
      })

      test("is 409 for the default world", async () => {
        bodyOf(await emulator.fetch("/_emulator", { method: "DELETE" }), 409)
        bodyOf(await emulator.fetch("/_emulator"))
      })
    })

    test("the default world supports fixtures, moves and reset like any other", async () => {
      const world = await emulator.defaultWorld()
      bodyOf(await world.post("/fixtures", hooked([200])), 201)
      await world.addToFolder("f1", uuid(1))
      expect(await world.advance({ by: "PT1H" })).toMatchObject({ now: instantAfter(start, 3_600_000), fired: [{}] })
      expect(await title(world)).toBe("Checkout fails")
      bodyOf(await world.control("/reset", { method: "POST" }))
      expect((await world.fetch("/api/v2/recordings", { token: ada })).status).toBe(401)
      expect(await world.now()).toBe(start)
    })

    test("ids and tokens are derived from the seed", async () => {
      const document = { users: [{ email: "x@acme.test", name: "X" }], recordings: [{ title: "One" }] }
      const made = await Promise.all([7, 7, 8].map((seed) => emulator.start(document, { seed })))
      const facts = made.map((world) => [world.tokens["x@acme.test"], world.made.recordings?.[0]?.uuid])
      expect(facts[0]).toEqual(facts[1])
      expect(facts[0]?.[0]).not.toBe(facts[2]?.[0])
      expect(facts[0]?.[1]).not.toBe(facts[2]?.[1])
    })
  })
