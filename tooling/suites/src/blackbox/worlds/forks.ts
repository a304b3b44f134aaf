import { describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { continuation, eventful } from "../../support/eventful.ts"
import { exchange, withoutRequestIds } from "../../support/exchange.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import type { Recording, WorldObject } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Forks: a world's present state, once more. */

const one = `/api/v2/recordings/${uuid(1)}`

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "POST {c}/fork", () => {
    const title = async (world: World) => bodyOf<Recording>(await world.fetch(one, { token: ada })).title
    const retitle = async (world: World, to: string) =>
      bodyOf(await world.fetch(one, { method: "PATCH", token: ada, json: { recording: { title: to } } }))

    test("returns 201 and a new World at its own address, in the present state", async () => {
      const world = await eventful(emulator)
      const before = bodyOf<WorldObject>(await world.control(""))
      const { base_url } = await emulator.ready()
      const fork = bodyOf<WorldObject>(await world.post("/fork", { id: "a-fork" }), 201)
      expect(keysOf(fork)).toEqual(keysOf(before))
      expect(fork).toEqual({
        ...before,
        world: "a-fork",
        base_url: `${base_url}/worlds/a-fork`,
        control_url: `${base_url}/worlds/a-fork/_emulator`
      })
      expect(bodyOf(await emulator.fetch("/worlds/a-fork/_emulator"))).toEqual(fork)
    })

    test.each([
      ["an empty object", { json: {} }],
      ["no body", {}]
    ])("gives it a generated id with %s", async (_, init) => {
      const world = await emulator.start(hooked([200]))
      const made = await Promise.all(
        [1, 2].map(() =>
          world.control("/fork", { method: "POST", ...init }).then((each) => bodyOf<WorldObject>(each, 201))
        )
      )
      expect(new Set([world.object.world, ...made.map((each) => each.world)]).size).toBe(3)
      expect(made[0]?.world).toMatch(/^w\d+$/)
    })

    test("copies clock, deliveries, sinks and journal", async () => {
      const world = await eventful(emulator)
      const fork = await world.fork()
      const paths = ["/_emulator/clock", "/_emulator/deliveries", "/_emulator/sinks/crm", "/_emulator/sinks/late"]
      const steps = paths.map((path) => [path] as const)
      expect(withoutRequestIds(await exchange(fork, steps))).toEqual(withoutRequestIds(await exchange(world, steps)))
      // The fork is no entry: many of them would push out what happened in the world.
      expect(await fork.journal()).toEqual(await world.journal())
    })

    test("gives the same results for the same calls in both: ids, tokens, answers, signatures", async () => {
      const world = await eventful(emulator)
      const fork = await world.fork()
      const goOn = async (each: World) => withoutRequestIds(await exchange(each, continuation))
      expect(await goOn(fork)).toEqual(await goOn(world))
    })

    test("creates a world that is independent from then on", async () => {
      const world = await emulator.start(hooked([500]))
      await world.addToFolder("f1", uuid(1))
      const fork = await world.fork()
      await retitle(fork, "Of the fork")
      await fork.advance({ until: "idle" })
      bodyOf(await fork.post("/sinks", { id: "extra", respond: [200] }), 201)
      bodyOf(await fork.post("/faults", { match: {}, respond: [503] }), 201)
      bodyOf(await fork.post("/fixtures", { users: [{ email: "x@acme.test", name: "X", token: "x" }] }), 201)
      expect(await title(world)).toBe("Checkout fails")
      expect(await world.clock()).toMatchObject({ now: start, pending: [{ at: start, attempt: 1 }] })
      expect((await world.sink("crm")).requests).toEqual([])
      expect((await world.control("/sinks/extra")).status).toBe(404)
      expect((await world.fetch("/api/v2/recordings", { token: "x" })).status).toBe(401)
      await retitle(world, "Of the original")
      await world.advance({ by: 0 })
      expect((await fork.sink("crm")).requests).toHaveLength(6)
      expect(await fork.now()).toBe(instantAfter(start, 876 * 60_000))
    })

    test("lets an attempt in flight in virtual time end in both worlds", async () => {
      const world = await emulator.start(hooked(["timeout", 200]))
      await world.addToFolder("f1", uuid(1))
      await world.advance({ by: "PT10S" })
      const fork = await world.fork()
      expect((await fork.deliveries())[0]).toMatchObject({ state: "attempting" })
      const ends = await Promise.all([world, fork].map((each) => each.advance({ until: "idle" })))
      expect(ends[0]).toEqual(ends[1])
      for (const each of [world, fork]) {
        expect((await each.deliveries())[0]).toMatchObject({
          state: "delivered",
          attempts: [{ outcome: "timeout", duration_ms: 30_000 }, { outcome: "success" }]
        })
      }
    })

    test("keeps the rate limit's window in both", async () => {
      const world = await emulator.start(hooked([200]), { config: { rate_limit: { requests: 2, per_ms: 60_000 } } })
      const status = async (each: World) => (await each.fetch("/api/v2/recordings", { token: ada })).status
      expect(await status(world)).toBe(200)
      const fork = await world.fork()
      for (const each of [world, fork]) expect([await status(each), await status(each)]).toEqual([200, 429])
    })

    test("returns a world whose reset leads to the original's start", async () => {
      const world = await emulator.start(hooked([500]), { now: "2027-01-01T00:00:00.000Z" })
      await retitle(world, "Before the fork")
      await world.advance({ by: "PT1H" })
      const fork = await world.fork()
      await retitle(fork, "After the fork")
      const reset = await fork.reset()
      expect(reset).toMatchObject({ now: "2027-01-01T00:00:00.000Z", world: fork.object.world })
      expect([await title(fork), await title(world)]).toEqual(["Checkout fails", "Before the fork"])
      expect(await world.now()).toBe("2027-01-01T01:00:00.000Z")
      await world.close()
      expect(await title(fork)).toBe("Checkout fails")
    })

    test("accepts a fork, which can be deleted", async () => {
      const world = await emulator.start(hooked([200]))
      await retitle(world, "First")
      const fork = await (await world.fork()).fork({ id: "grandchild" })
      expect(await title(fork)).toBe("First")
      await fork.close()
      bodyOf(await emulator.fetch("/worlds/grandchild/_emulator"), 404)
      expect(await title(world)).toBe("First")
    })

    describe("is refused", () => {
      test("with 409 for an id that is in use, and nothing changes", async () => {
        const world = await emulator.start(hooked([200]), { id: "taken-by-a-world" })
        await retitle(world, "Stays")
        bodyOf(await world.post("/fork", { id: "taken-by-a-world" }), 409)
        bodyOf(await world.post("/fork", { id: "default" }), 409)
        expect(await title(world)).toBe("Stays")
      })

      test.each([
        ["id", { id: 5 }],
        ["id", { id: "a/b" }],
        ["id", { id: "" }],
        ["now", { now: start }]
      ])("with 400 that names %s: %j", async (path, json) => {
        const world = await emulator.start({})
        expect(refusalOf(await world.post("/fork", json)).errors.map((error) => error.path)).toEqual([path])
      })

      test("with 404 for an unknown world", async () => {
        bodyOf(await emulator.fetch("/worlds/nope/_emulator/fork", { method: "POST", json: {} }), 404)
      })
    })
  })
