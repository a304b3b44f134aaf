import { describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked } from "../../support/hooks.ts"
import type { JournalEntry } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** What the journal tells of requests: who made them, and their bodies. */

const list = "/api/v2/recordings"
const one = `${list}/${uuid(1)}`
const maxBodyBytes = 64 * 1024
const maxBytes = 1024 * 1024

const pathsOf = (entries: ReadonlyArray<JournalEntry>) => entries.map(({ kind, path }) => path ?? kind)

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "The journal's requests", () => {
    const started = () => emulator.start(hooked([200]))
    const rename = (world: World, title: string) =>
      world.fetch(one, { token: ada, method: "PATCH", json: { recording: { title } } })
    const bodiesOf = (world: World, query = "") => world.journal(`?kind=request&bodies=true${query}`)

    describe("origin", () => {
      const mixed = async () => {
        const world = await started()
        const ui = { headers: { referer: `${world.controlUrl}/ui/recordings` } }
        await world.fetch(list, { token: ada })
        await world.fetch(one, { token: ada, ...ui })
        await world.fetch(`${one}/log`, { token: ada, headers: { referer: `${world.baseUrl}/r/${uuid(1)}` } })
        await world.post("/sessions", { user: "ada@acme.test" })
        await world.control("/folders/f1/recordings", { method: "POST", json: { recording: uuid(1) }, ...ui })
        await world.control("/no-such-call", { method: "POST", json: {}, ...ui })
        await world.advance({ by: 0 })
        return world
      }

      test("is the console's where its page is the referrer, else the program's, or the control plane's", async () => {
        const entries = await (await mixed()).journal()
        expect(entries.map(({ kind, origin }) => [kind, origin])).toEqual([
          ["request", "program"],
          ["request", "console"],
          ["request", "program"],
          ["control", "control"],
          ["control", "console"],
          ["control", "console"],
          ["attempt", undefined],
          ["clock", undefined]
        ])
      })

      test("leaves the requests of others out, and no entry that is none", async () => {
        const world = await mixed()
        const rest = ["attempt", "clock"]
        expect(pathsOf(await world.journal("?origin=program"))).toEqual([list, `${one}/log`, ...rest])
        expect(pathsOf(await world.journal("?origin=control"))).toEqual(["/_emulator/sessions", ...rest])
        expect(await world.journal("?origin=console")).toHaveLength(5)
        expect(pathsOf(await world.journal("?origin=console&kind=request"))).toEqual([one])
      })

      test("is that of a request which a fault answers", async () => {
        const world = await started()
        bodyOf(await world.post("/faults", { match: {}, respond: [503, 503] }), 201)
        await world.faultyFetch(list, { token: ada, headers: { referer: `${world.controlUrl}/ui` } })
        await world.faultyFetch(list, { token: ada })
        const entries = await world.journal("?kind=request")
        expect(entries.map(({ origin }) => origin)).toEqual(["console", "program"])
      })
    })

    describe("bodies", () => {
      test("come along where they are asked for, as text", async () => {
        const world = await started()
        const answer = await rename(world, "Über \u0001")
        await world.fetch(list)
        const [renamed, refused] = await bodiesOf(world)
        expect(renamed).toMatchObject({
          request: { body: JSON.stringify({ recording: { title: "Über \u0001" } }), truncated: false },
          response: { truncated: false }
        })
        const { body } = renamed!.response as { readonly body: string }
        expect(JSON.parse(body)).toEqual(bodyOf(answer))
        expect(refused).toMatchObject({ status: 401, request: null, response: { truncated: false } })
        for (const query of ["", "?bodies=false"]) {
          const entries = await world.journal(query)
          expect(entries.filter((entry) => "request" in entry || "response" in entry)).toEqual([])
        }
      })

      test("are those of a fault's answer too", async () => {
        const world = await started()
        bodyOf(await world.post("/faults", { match: {}, respond: [{ status: 503, body: "busy" }] }), 201)
        await world.faultyFetch(list, { token: ada })
        expect(await bodiesOf(world)).toMatchObject([{ request: null, response: { body: "busy", truncated: false } }])
      })

      test.each([
        [maxBodyBytes, false],
        [maxBodyBytes + 1, true]
      ])("of %i bytes: cut is %s", async (sizeBytes, truncated) => {
        const world = await started()
        const text = JSON.stringify({ recording: { title: "x" } })
        await world.fetch(one, {
          ...{ token: ada, method: "PATCH", body: text.padEnd(sizeBytes) },
          headers: { "content-type": "application/json" }
        })
        const [{ request } = { request: null }] = await bodiesOf(world)
        expect(request).toEqual({ body: text.padEnd(maxBodyBytes), truncated })
      })

      test("that are cut inside a character end before it", async () => {
        const world = await started()
        await rename(world, "x")
        await world.fetch(one, {
          ...{ token: ada, method: "PATCH", body: `${" ".repeat(maxBodyBytes - 1)}ü` },
          headers: { "content-type": "application/json" }
        })
        const entries = await bodiesOf(world)
        expect(entries[1]?.request).toEqual({ body: " ".repeat(maxBodyBytes - 1), truncated: true })
      })

      test("that are not text are null", async () => {
        const world = await started()
        await world.fetch(one, {
          ...{ token: ada, method: "PATCH", body: new Uint8Array([0xff, 0xfe, 0x00]) },
          headers: { "content-type": "application/json" }
        })
        expect(await bodiesOf(world)).toMatchObject([{ status: 400, request: null, response: { truncated: false } }])
      })

      test("are those of the latest requests, up to 1 MiB together", async () => {
        const world = await started()
        const body = JSON.stringify({ recording: {} }).padEnd(maxBodyBytes)
        const fitting = maxBytes / maxBodyBytes
        for (let sent = 0; sent < fitting * 3; sent++) {
          await world.fetch(one, {
            ...{ token: ada, method: "PATCH", body },
            headers: { "content-type": "application/json" }
          })
        }
        const entries = await bodiesOf(world)
        expect(entries).toHaveLength(fitting * 3)
        const kept = entries.filter(({ request }) => request !== undefined)
        expect(kept).toEqual(entries.slice(-kept.length))
        expect(kept.length).toBeGreaterThan(fitting * 0.8)
        expect(kept.length).toBeLessThan(fitting)
        for (const { request } of kept) expect(request).toEqual({ body, truncated: false })
      })

      test("start anew with a reset, come along in a fork, and are no part of a snapshot", async () => {
        const world = await started()
        await rename(world, "x")
        const all = await bodiesOf(world)
        const fork = await world.fork()
        await rename(world, "y")
        expect(await bodiesOf(fork)).toEqual(all)
        const snapshot = await world.snapshot()
        bodyOf(await world.control("/snapshot", { method: "PUT", json: snapshot.as() }))
        expect((await bodiesOf(world)).map((entry) => "request" in entry)).toEqual([false, false])
        await rename(world, "z")
        expect((await bodiesOf(world)).map((entry) => "request" in entry)).toEqual([false, false, true])
        await world.post("/reset", {})
        await rename(world, "a")
        expect(await bodiesOf(world)).toMatchObject([{ seq: 1, request: { body: expect.stringContaining("a") } }])
      })

      test("are refused by name with another value", async () => {
        const world = await started()
        expect(refusalOf(await world.control("/journal?bodies=1")).errors.map(({ path }) => path)).toEqual(["bodies"])
      })
    })
  })
