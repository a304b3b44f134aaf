import { afterEach, describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, recording, start } from "../../support/hooks.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { Journal, JournalEntry } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** The journal: what happened in a world, in the order in which it did. */

const list = "/api/v2/recordings"
const one = `${list}/${uuid(1)}`
const seqs = (entries: ReadonlyArray<JournalEntry>) => entries.map(({ seq }) => seq)

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "The journal", () => {
    afterEach(closeReceivers)

    const started = (respond: ReadonlyArray<unknown> = [200], rest = {}, options = {}) =>
      emulator.start(hooked(respond, {}, rest), options)
    const whole = async (world: World) => bodyOf<Journal>(await world.control("/journal"))

    test("has {entries, dropped}, and is empty in a new world", async () => {
      expect(await whole(await started())).toEqual({ entries: [], dropped: 0 })
    })

    test("has {seq, at, kind} in every entry, with seq growing in the order of events", async () => {
      const world = await started([500, "timeout", 200])
      await world.fetch(list, { token: ada })
      await world.addToFolder("f1", uuid(1))
      await world.advance({ until: "idle" })
      await world.fetch(list)
      const entries = await world.journal()
      expect(entries.map(({ kind }) => kind)).toEqual([
        "request",
        "control",
        "attempt",
        "attempt",
        "attempt",
        "clock",
        "request"
      ])
      for (const [index, { seq, at }] of entries.entries()) {
        expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        if (index > 0) expect(seq).toBeGreaterThan(entries[index - 1]?.seq ?? 0)
      }
    })

    describe("an entry of a request", () => {
      test("has {method, path, status, user}: the path below the world with its query, and the user's e-mail or null", async () => {
        const world = await started()
        await world.advance({ by: 1_500 })
        const since = await world.lastSeq()
        await world.fetch(`${list}?page=1`, { token: ada })
        await world.fetch(one, { token: bob, method: "PATCH", json: { recording: { title: "x" } } })
        await world.fetch(list)
        await world.fetch(list, { token: "unknown" })
        await world.fetch("/api/v1/recordings/nope", { token: bob })
        await world.fetch(`/r/${uuid(1)}`)
        const entries = await world.journal(`?since=${since}`)
        const at = instantAfter(start, 1_500)
        expect(entries).toMatchObject([
          { at, kind: "request", method: "GET", path: `${list}?page=1`, status: 200, user: "ada@acme.test" },
          { at, kind: "request", method: "PATCH", path: one, status: 403, user: "bob@acme.test" },
          { at, kind: "request", method: "GET", path: list, status: 401, user: null },
          { at, kind: "request", method: "GET", path: list, status: 401, user: null },
          { at, kind: "request", method: "GET", path: "/api/v1/recordings/nope", status: 404, user: "bob@acme.test" },
          { at, kind: "request", method: "GET", path: `/r/${uuid(1)}`, status: 200, user: null }
        ])
        for (const entry of entries) {
          const { rule: _, ...rest } = entry
          expect(keysOf(rest)).toEqual(["at", "kind", "method", "origin", "path", "seq", "status", "user"])
        }
      })

      test("has no Host, port or header of the transport", async () => {
        const world = await started()
        await world.fetch(list, { token: ada, headers: { host: "localhost:1234", "x-odd": "odd-header" } })
        const text = JSON.stringify(await world.journal())
        expect(text).not.toMatch(/localhost|127\.0\.0\.1|odd-header/)
        expect(text).not.toContain(ada)
      })

      test("exists for HEAD and for a refused method too", async () => {
        const world = await started()
        await world.fetch(`${one}/download`, { token: ada, method: "HEAD" })
        await world.fetch(list, { token: ada, method: "DELETE" })
        expect((await world.journal()).map(({ method, status }) => [method, status])).toEqual([
          ["HEAD", 409],
          ["DELETE", 405]
        ])
      })
    })

    describe("an entry of an attempt", () => {
      test("has the fields of Event and of Attempt", async () => {
        const world = await started([{ status: 500, headers: { "x-why": "db" }, body: "no", after: "PT2S" }])
        const [id] = await world.addToFolder("f1", uuid(1))
        await world.advance({ by: "PT1M5S" })
        const entries = await world.journal("?kind=attempt")
        const [delivery] = await world.deliveries()
        expect(entries).toHaveLength(2)
        expect(entries).toMatchObject(delivery?.attempts ?? [])
        expect(entries[1]).toMatchObject({
          at: instantAfter(start, 60_000),
          kind: "attempt",
          id,
          attempt: 2,
          elapsed_ms: 60_000,
          duration_ms: 2_000,
          outcome: "failure",
          status_code: 500,
          request: { method: "POST", url: (await world.sink("crm")).url, body: delivery?.attempts[1]?.request.body },
          response: { headers: { "x-why": "db" }, body: "no", truncated: false }
        })
      })

      test("is written when it ends, with its start as `at`", async () => {
        const world = await started([{ status: 200, after: "PT10S" }])
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: "PT5S" })
        expect(await world.journal("?kind=attempt")).toEqual([])
        await world.fetch(list, { token: ada })
        await world.advance({ by: "PT5S" })
        const entries = (await world.journal()).filter(({ kind }) => kind === "request" || kind === "attempt")
        expect(entries).toMatchObject([
          { kind: "request", at: instantAfter(start, 5_000) },
          { kind: "attempt", at: start, outcome: "success", duration_ms: 10_000 }
        ])
      })

      test.each(["timeout", "reset", "refused", "dns", "tls"])("has the outcome %s", async (outcome) => {
        const world = await started([outcome])
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: "PT30S" })
        expect(await world.journal("?kind=attempt")).toMatchObject([
          { at: start, attempt: 1, outcome, status_code: null, response: null }
        ])
      })

      test("exists for an audit delivery and for a blocked one too", async () => {
        const world = await started([200], {
          audit_destinations: [
            { id: "d1", name: "SIEM", url: "sink:crm" },
            { id: "d2", name: "Away", url: "https://siem.example/hook" }
          ]
        })
        await world.fetch(one, { token: ada, method: "PATCH", json: { recording: { title: "New" } } })
        await world.advance({ by: 0 })
        const deliveries = await world.deliveries()
        expect(deliveries.map(({ destination }) => destination)).toEqual(["d1", "d2"])
        expect(await world.journal("?kind=attempt")).toMatchObject([
          { id: deliveries[0]?.id, outcome: "success" },
          { id: deliveries[1]?.id, outcome: "blocked", status_code: null }
        ])
      })

      test("of a real receiver has the sent request without the headers of the transport", async () => {
        const real = await receiver(() => ({ status: 200 }))
        const world = await emulator.start(hooked([200], { url: real.url }))
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        const [entry] = await world.journal("?kind=attempt")
        const { headers = {} } = (entry?.request ?? {}) as { headers?: Record<string, string> }
        const names = Object.keys(headers).map((name) => name.toLowerCase())
        expect(names).toEqual(expect.arrayContaining(["content-type", "x-tapedeck-signature", "webhook-id"]))
        const { headers: answered = {} } = (entry?.response ?? {}) as { headers?: Record<string, string> }
        names.push(...Object.keys(answered).map((name) => name.toLowerCase()))
        for (const name of ["host", "connection", "transfer-encoding", "keep-alive"]) expect(names).not.toContain(name)
      })
    })

    test("an entry of a transcript is {id, status} with its new status, by time and by reads", async () => {
      const script = [
        { at: "PT10S", status: "processing" },
        { reads: 2, status: "ready" }
      ]
      const world = await started([200], { recordings: [{ ...recording, transcript: { script } }] })
      const read = () => world.fetch(`${one}/transcript`, { token: ada })
      await world.advance({ by: "PT1M" })
      await read()
      await read()
      expect(await world.journal("?kind=transcript")).toMatchObject([
        { at: instantAfter(start, 10_000), kind: "transcript", id: uuid(1), status: "processing" },
        { at: instantAfter(start, 60_000), kind: "transcript", id: uuid(1), status: "ready" }
      ])
    })

    describe("an entry of the clock", () => {
      test("is written once for each move, at its end", async () => {
        const world = await started()
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: "PT1M" })
        await world.advance({ next: true })
        const entries = await world.journal("?kind=clock")
        expect(entries.map(({ at }) => at)).toEqual([instantAfter(start, 60_000), instantAfter(start, 60_000)])
        expect((await world.journal()).map(({ kind }) => kind)).toEqual(["control", "attempt", "clock", "clock"])
      })

      test("is written for a change of its mode", async () => {
        const world = await started()
        bodyOf(await world.control("/clock", { method: "PUT", json: { mode: "running", rate: 1 } }))
        bodyOf(await world.control("/clock", { method: "PUT", json: { mode: "stopped" } }))
        expect(await world.journal("?kind=clock")).toHaveLength(2)
      })
    })

    test("an entry of a fault is written when one answers, and the request's `rule` names it", async () => {
      const world = await started()
      const { id } = bodyOf<{ id: string }>(await world.post("/faults", { match: {}, respond: [503] }), 201)
      await world.faultyFetch(`${list}?page=1`, { token: ada })
      const entries = (await world.journal()).filter(({ kind }) => kind !== "control")
      expect(entries.map(({ kind }) => kind).toSorted()).toEqual(["fault", "request"])
      expect(entries.find(({ kind }) => kind === "fault")).toMatchObject({ id })
      const request = entries.find(({ kind }) => kind === "request")
      expect(request).toMatchObject({ method: "GET", path: `${list}?page=1`, status: 503 })
      expect(String(request?.rule)).toContain(id)
    })

    describe("an entry of the control plane", () => {
      test("is written for a call that changes something", async () => {
        const world = await started()
        const calls = [
          () => world.post("/fixtures", { recordings: [{ uuid: uuid(9) }] }),
          () => world.post("/folders/f1/recordings", { recording: uuid(9) }),
          () => world.post("/sinks", { id: "s", respond: [200] }),
          () => world.control("/sinks/s", { method: "PUT", json: { respond: [500] } }),
          () => world.post("/sessions", { user: "ada@acme.test" }),
          () => world.post("/faults", { match: {}, respond: [503] }),
          () => world.control("/faults", { method: "DELETE" })
        ]
        for (const [index, call] of calls.entries()) {
          const answer = await call()
          expect(answer.status, String(answer)).toBeLessThan(300)
          const entries = await world.journal("?kind=control")
          expect(entries, String(answer)).toHaveLength(index + 1)
          expect(entries.at(-1)).toMatchObject({ at: start, method: answer.method, status: answer.status })
        }
      })

      test("is not written for reads", async () => {
        const world = await started()
        const paths = ["", "/clock", "/sinks/crm", "/deliveries", "/journal", "/journal?kind=request", "/openapi.json"]
        for (const path of paths) bodyOf(await world.control(path))
        await world.post("/journal/wait", { match: { kind: "request" }, timeout_ms: 1 })
        expect(await world.journal()).toEqual([])
      })

      test("is not written for calls of snapshots", async () => {
        const world = await started()
        await world.fetch(list, { token: ada })
        const snapshot = await world.snapshot()
        bodyOf(await world.control("/snapshot", { method: "PUT", json: snapshot.as() }))
        expect((await world.journal()).map(({ kind }) => kind)).toEqual(["request"])
      })
    })

    describe("the query", () => {
      const mixed = async () => {
        const world = await started()
        await world.fetch(list, { token: ada })
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        await world.fetch(list)
        return world
      }

      test.each(["request", "attempt", "clock", "control", "fault", "transcript"])(
        "kind=%s returns entries of that kind",
        async (kind) => {
          const world = await mixed()
          const all = await world.journal()
          expect(await world.journal(`?kind=${kind}`)).toEqual(all.filter((entry) => entry.kind === kind))
        }
      )

      test("since returns later entries", async () => {
        const world = await mixed()
        const all = await world.journal()
        for (const [index, { seq }] of all.entries()) {
          expect(await world.journal(`?since=${seq}`)).toEqual(all.slice(index + 1))
        }
        expect(await world.journal("?since=0")).toEqual(all)
        expect(await world.journal("?since=1000000")).toEqual([])
      })

      test("kind and since can be combined", async () => {
        const world = await mixed()
        const [first, second] = await world.journal("?kind=request")
        expect(await world.journal(`?kind=request&since=${first?.seq}`)).toEqual([second])
      })

      test.each([
        ["kind", "?kind=nothing"],
        ["kind", "?kind="],
        ["since", "?since=yesterday"],
        ["since", "?since=-1"],
        ["since", "?since=1.5"],
        ["since", "?since="],
        ["origin", "?origin=browser"],
        ["bodies", "?bodies=yes"]
      ])("is 400 and names %s: %s", async (path, query) => {
        const world = await started()
        expect(refusalOf(await world.control(`/journal${query}`)).errors.map((error) => error.path)).toEqual([path])
      })
    })

    describe("an unknown query parameter", () => {
      const typos = [
        `${list}?ticketid=4711`,
        `${list}?page=1&Page=2&ticket-id=1`,
        `/api/v1/recordings/${uuid(1)}?x`,
        `${one}/download?verson=original`,
        `${list}/nope?page=1`
      ]

      test("is ignored, and named in `unknown_query` of the request's entry", async () => {
        const world = await started()
        for (const path of [...typos, `${list}?page=1`, list]) await world.fetch(path, { token: ada })
        const entries = await world.journal("?kind=request")
        expect(entries.map(({ unknown_query }) => unknown_query)).toEqual([
          ["ticketid"],
          ["Page", "ticket-id"],
          ["x"],
          ["verson"],
          ["page"],
          undefined,
          undefined
        ])
        expect(entries.map(({ status }) => status)).not.toContain(400)
        await world.fetch(`${list}?ticketid=4711`)
        expect((await world.journal("?kind=request")).at(-1)).toMatchObject({
          status: 401,
          unknown_query: ["ticketid"]
        })
      })
    })

    describe("the size of the journal", () => {
      const small = () => started([200], {}, { config: { journal_size: 5 } })
      const reads = async (world: World, count: number) => {
        for (let n = 0; n < count; n += 1) await world.fetch(`${list}?page=${n + 1}`, { token: ada })
      }

      test("keeps the latest entries, and counts dropped ones", async () => {
        const world = await small()
        await reads(world, 5)
        const full = await whole(world)
        expect([full.entries.length, full.dropped]).toEqual([5, 0])
        await reads(world, 3)
        const { entries, dropped } = await whole(world)
        expect(dropped).toBe(3)
        expect(entries.map(({ path }) => path)).toEqual([4, 5, 1, 2, 3].map((page) => `${list}?page=${page}`))
        expect(entries.slice(0, 2)).toEqual(full.entries.slice(3))
        expect(new Set(seqs(entries)).size).toBe(5)
      })

      test("returns the remaining entries for a dropped `since`", async () => {
        const world = await small()
        await reads(world, 1)
        const first = await world.lastSeq()
        await reads(world, 20)
        const { entries } = await whole(world)
        expect(await world.journal(`?since=${first}`)).toEqual(entries)
      })

      test("is 10,000 by default", async () => {
        const world = await emulator.start(acme({}))
        expect(world.object.config.journal_size).toBe(10_000)
      })
    })

    test("each world has its own entries", async () => {
      const [world, other] = [await started(), await started()]
      await world.fetch(list, { token: ada })
      expect(await world.journal()).toHaveLength(1)
      expect(await other.journal()).toEqual([])
    })

    test("a reset of the world removes all entries", async () => {
      const world = await started()
      await world.fetch(list, { token: ada })
      await world.addToFolder("f1", uuid(1))
      await world.advance({ by: 0 })
      await world.reset()
      const entries = await world.journal()
      expect(entries.filter(({ kind }) => kind !== "control")).toEqual([])
      expect(entries.length).toBeLessThanOrEqual(1)
    })
  })
