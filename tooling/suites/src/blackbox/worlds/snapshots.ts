import { afterAll, describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { continuation, eventful } from "../../support/eventful.ts"
import { exchange, withoutRequestIds } from "../../support/exchange.ts"
import { hooked, start } from "../../support/hooks.ts"
import type { Answer } from "../../support/http.ts"
import type { Recording, WorldObject } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Snapshots: a world's whole state as one document, put back on this process and on another. */

const one = `/api/v2/recordings/${uuid(1)}`

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "{c}/snapshot", () => {
    const another = new Emulator()
    afterAll(() => another.stop())

    const put = (world: World, snapshot: Answer) => world.control("/snapshot", { method: "PUT", json: snapshot.as() })
    const retitle = async (world: World, to: string) =>
      bodyOf(await world.fetch(one, { method: "PATCH", token: ada, json: { recording: { title: to } } }))
    const title = async (world: World) => bodyOf<Recording>(await world.fetch(one, { token: ada })).title
    /** What the World object says of a world, but for where it is. */
    const facts = (object: WorldObject) => ({ ...object, world: "", base_url: "", control_url: "" })

    test("GET returns one JSON document, and the same one again", async () => {
      const world = await eventful(emulator)
      const first = await world.snapshot()
      expect(first.header("content-type")).toMatch(/^application\/json/)
      expect((await world.snapshot()).text).toBe(first.text)
    })

    test.each(["this process", "another process"])("PUT returns the World as it was: on %s", async (where) => {
      const target = where === "this process" ? emulator : another
      const world = await eventful(emulator)
      const before = bodyOf<WorldObject>(await world.control(""))
      const other = await target.start({ users: [{ email: "old@acme.test", name: "Old", token: "old" }] })
      await other.advance({ by: "P10D" })
      const answer = bodyOf<WorldObject>(await put(other, await world.snapshot()))
      expect(facts(answer)).toEqual(facts(before))
      expect(answer).toMatchObject({ world: other.object.world, base_url: other.baseUrl })
      expect(bodyOf(await other.control(""))).toEqual(answer)
      expect((await other.fetch("/api/v2/recordings", { token: "old" })).status).toBe(401)
    })

    test("a restored snapshot is read again byte for byte, on another process too", async () => {
      const snapshot = await (await eventful(emulator)).snapshot()
      for (const target of [emulator, another]) {
        const world = await target.start({})
        bodyOf(await put(world, snapshot))
        expect((await world.snapshot()).text).toBe(snapshot.text)
      }
    })

    test("a restored world on another process gives the same bytes as the original, with the journal", async () => {
      const id = "continued"
      const world = await eventful(emulator, { id })
      const other = await another.start({}, { id })
      bodyOf(await put(other, await world.snapshot()))
      const goOn = async (each: World) => withoutRequestIds(await exchange(each, continuation))
      const [here, there] = [await goOn(world), await goOn(other)]
      for (const [index, answer] of here.entries()) expect(there[index]).toEqual(answer)
      expect((await other.snapshot()).text).toBe((await world.snapshot()).text)
    })

    test("an earlier snapshot can be restored repeatedly, and the same calls then give the same bytes", async () => {
      const world = await eventful(emulator)
      const snapshot = await world.snapshot()
      const bodies = async () => {
        bodyOf(await put(world, snapshot))
        return withoutRequestIds(await exchange(world, continuation))
      }
      const first = await bodies()
      expect(await bodies()).toEqual(first)
    })

    test("the rate limit's window is restored", async () => {
      const world = await emulator.start(hooked([200]), { config: { rate_limit: { requests: 2, per_ms: 60_000 } } })
      const status = async (each: World) => (await each.fetch("/api/v2/recordings", { token: ada })).status
      expect(await status(world)).toBe(200)
      const other = await another.start({})
      bodyOf(await put(other, await world.snapshot()))
      expect([await status(other), await status(other)]).toEqual([200, 429])
    })

    test("a reset leads to the start of the snapshot's world", async () => {
      const world = await emulator.start(hooked([200]), { now: "2027-01-01T00:00:00.000Z", seed: 3 })
      await retitle(world, "Changed")
      await world.advance({ by: "P1D" })
      const other = await another.start(hooked([500]))
      bodyOf(await put(other, await world.snapshot()))
      expect(await title(other)).toBe("Changed")
      expect(await other.reset()).toMatchObject({ now: "2027-01-01T00:00:00.000Z", seed: 3 })
      expect(await title(other)).toBe("Checkout fails")
      expect((await other.sink("crm")).respond).toEqual([200])
    })

    test("GET changes nothing: no journal entry, no later id", async () => {
      const [plain, looked] = [await emulator.start(hooked([200])), await emulator.start(hooked([200]))]
      await looked.snapshot()
      const ids = await Promise.all([plain, looked].map((world) => world.addToFolder("f1", uuid(1))))
      expect(ids[0]).toEqual(ids[1])
      expect(await looked.journal()).toEqual(await plain.journal())
    })

    test("other worlds are not changed", async () => {
      const [world, other] = [await emulator.start(hooked([200])), await emulator.start(hooked([200]))]
      const snapshot = await world.snapshot()
      await retitle(other, "Stays")
      await retitle(world, "Goes")
      bodyOf(await put(world, snapshot))
      expect([await title(world), await title(other)]).toEqual(["Checkout fails", "Stays"])
    })

    test("the default world can be restored too", async () => {
      const world = await another.defaultWorld()
      const empty = await world.snapshot()
      bodyOf(await put(world, await (await eventful(emulator)).snapshot()))
      expect(await title(world)).toBe("Changed")
      bodyOf(await put(world, empty))
      expect(await world.now()).toBe(start)
    })

    describe("an invalid snapshot is 400 and changes nothing", () => {
      test.each([
        ["an empty object", {}],
        ["null", null],
        ["a list", []],
        ["a word", "snapshot"],
        ["a start document", hooked([200])]
      ])("is refused as %s", async (_, json) => {
        const world = await emulator.start(hooked([200]))
        await retitle(world, "Stays")
        refusalOf(await world.control("/snapshot", { method: "PUT", json }))
        expect(await title(world)).toBe("Stays")
      })

      test("malformed JSON is 400, and another content type is 415", async () => {
        const world = await emulator.start({})
        const headers = { "content-type": "application/json" }
        refusalOf(await world.control("/snapshot", { method: "PUT", body: "{", headers }))
        const text = { "content-type": "text/plain" }
        bodyOf(await world.control("/snapshot", { method: "PUT", body: "{}", headers: text }), 415)
      })

      test("a snapshot without one of its keys, or with another type, is refused", async () => {
        const world = await emulator.start(hooked([200]))
        const snapshot = (await world.snapshot()).as<Record<string, unknown>>()
        await retitle(world, "Stays")
        expect(Object.keys(snapshot).length).toBeGreaterThan(0)
        for (const key of Object.keys(snapshot)) {
          const { [key]: _, ...without } = snapshot
          for (const json of [without, { ...snapshot, [key]: "odd" }, { ...snapshot, [key]: null }]) {
            refusalOf(await world.control("/snapshot", { method: "PUT", json }))
          }
        }
        refusalOf(await world.control("/snapshot", { method: "PUT", json: { ...snapshot, colour: "red" } }))
        expect(await title(world)).toBe("Stays")
      })
    })
  })
