import { afterEach, describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import type { Answer } from "../../support/http.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { JournalEntry, Waited } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Waiting on the journal. The waits that are to fail have a few milliseconds of wall time, the others all they need. */

const list = "/api/v2/recordings"

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "POST {c}/journal/wait", () => {
    afterEach(closeReceivers)

    const started = (respond: ReadonlyArray<unknown> = [200], rest = {}) => emulator.start(hooked(respond, {}, rest))
    const late = async (world: World, body: Readonly<Record<string, unknown>>) => {
      const answer = await world.post("/journal/wait", { timeout_ms: 20, ...body })
      const waited = bodyOf<Waited>(answer, 408)
      expect(keysOf(waited), String(answer)).toEqual(["error", "nearest"])
      expect(waited.error).toMatch(/\S/)
      return waited
    }
    /** Waits, and makes the call again and again until the wait has answered. */
    const until = async (world: World, body: Readonly<Record<string, unknown>>, act: () => Promise<unknown>) => {
      let answer: Answer | undefined
      const waiting = world.post("/journal/wait", { timeout_ms: 20_000, ...body }).then((each) => {
        answer = each
      })
      while (answer === undefined) await act()
      await waiting
      return bodyOf<{ matched: ReadonlyArray<JournalEntry> }>(answer).matched
    }

    describe("for existing entries", () => {
      test("returns entries since 0 that have the fields of `match` at once, as in the journal", async () => {
        const world = await started()
        await world.fetch(list)
        await world.fetch(list, { token: ada })
        const answer = await world.post("/journal/wait", { match: { kind: "request", status: 200 }, since: 0 })
        expect(bodyOf(answer)).toEqual({ matched: (await world.journal()).slice(1) })
      })

      test.each([
        [{ kind: "request" }, 3],
        [{ user: "ada@acme.test" }, 2],
        [{ status: 401 }, 1],
        [{ method: "GET", path: `${list}?page=1` }, 1],
        [{}, 4]
      ])("matches by %j: %i", async (match, count) => {
        const world = await started()
        await world.fetch(list)
        await world.fetch(list, { token: ada })
        await world.fetch(`${list}?page=1`, { token: ada })
        await world.advance({ by: 0 })
        expect(await world.wait({ match, count, since: 0 })).toHaveLength(count)
        await late(world, { match, count: count + 1, since: 0 })
      })

      test("counts entries after `since` only", async () => {
        const world = await started()
        await world.fetch(list, { token: ada })
        const since = await world.lastSeq()
        await late(world, { match: { kind: "request" }, since })
        await world.fetch(list)
        expect(await world.wait({ match: { kind: "request" }, since })).toMatchObject([{ status: 401 }])
      })

      test('compares values strictly: not 200 with "200", and objects by their fields', async () => {
        const world = await started()
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        await late(world, { match: { status_code: "200" }, since: 0 })
        const [entry] = await world.journal("?kind=attempt")
        expect(await world.wait({ match: { response: entry?.response }, since: 0 })).toEqual([entry])
        expect(await world.wait({ match: { kind: "attempt", error: null }, since: 0 })).toEqual([entry])
      })
    })

    describe("for future entries", () => {
      test("counts entries after the call if `since` is absent", async () => {
        const world = await started()
        await world.fetch(list, { token: ada })
        await late(world, { match: { kind: "request" } })
        const before = await world.lastSeq()
        const [entry] = await until(world, { match: { kind: "request" } }, () => world.fetch(list))
        expect(entry).toMatchObject({ status: 401 })
        expect(entry?.seq).toBeGreaterThan(before)
      })

      test("returns as soon as there are `count` entries", async () => {
        const world = await started()
        const matched = await until(world, { match: { status: 200 }, count: 3 }, async () => {
          await world.fetch(list)
          await world.fetch(list, { token: ada })
        })
        expect(matched.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(matched.map(({ seq }) => seq)).toEqual(matched.map(({ seq }) => seq).toSorted((a, b) => a - b))
      })

      test("returns during a move of the clock", async () => {
        const world = await started([500, 500, 200])
        const since = await world.lastSeq()
        const waiting = world.wait({ match: { kind: "attempt", outcome: "success" }, since, timeout_ms: 20_000 })
        await world.addToFolder("f1", uuid(1))
        await world.advance({ until: "idle" })
        expect(await waiting).toMatchObject([{ at: instantAfter(start, 360_000), attempt: 3, status_code: 200 }])
      })

      test("returns to a receiver in the middle of a move", async () => {
        let seen: Promise<ReadonlyArray<JournalEntry>> | undefined
        let world: World | undefined
        const real = await receiver(async () => {
          seen ??= world?.wait({ match: { kind: "control" }, since: 0 })
          await seen
          return { status: 200 }
        })
        world = await emulator.start(hooked([200], { url: real.url }))
        await world.addToFolder("f1", uuid(1))
        expect((await world.advance({ by: 0 })).fired).toMatchObject([{ outcome: "success" }])
        expect(await seen).toMatchObject([{ kind: "control", method: "POST" }])
      })

      test("serves several waits at once, each with its own match", async () => {
        const world = await started()
        const since = await world.lastSeq()
        const wait = (match: object) => world.wait({ match, since, timeout_ms: 20_000 })
        const waits = [wait({ status: 200 }), wait({ status: 401 }), wait({ kind: "clock" })]
        await world.advance({ by: 0 })
        await world.fetch(list)
        await world.fetch(list, { token: ada })
        expect((await Promise.all(waits)).map(([entry]) => [entry?.kind, entry?.status])).toEqual([
          ["request", 200],
          ["request", 401],
          ["clock", undefined]
        ])
      })
    })

    describe("is 408 when its time is over", () => {
      test("with {error, nearest}: similar entries, and an error that describes them", async () => {
        const world = await started([500, "timeout"])
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: "PT2M" })
        const { error, nearest } = await late(world, { match: { kind: "attempt", status_code: 200 }, since: 0 })
        expect(nearest).toMatchObject([{ kind: "attempt" }, { kind: "attempt" }])
        expect(nearest.map(({ outcome }) => outcome).toSorted()).toEqual(["failure", "timeout"])
        expect(error).toMatch(/\b2\b/)
        expect(error).toMatch(/status_code/)
        expect(error).toMatch(/200/)
        expect(error).toMatch(/500/)
      })

      test("with the entries first that have the most fields of `match`", async () => {
        const world = await started()
        await world.fetch("/api/v2/users", { token: ada })
        await world.fetch(list)
        await world.advance({ by: 0 })
        const match = { kind: "request", path: list, status: 200, method: "GET" }
        const { nearest } = await late(world, { match, since: 0 })
        expect(nearest[0]).toMatchObject({ kind: "request" })
        expect(nearest.map(({ kind }) => kind)).not.toContain("clock")
      })

      test("with an empty `nearest` if no entry is similar", async () => {
        const { nearest } = await late(await started(), { match: { kind: "attempt" }, since: 0 })
        expect(nearest).toEqual([])
      })

      test("with the number of matches if there are too few", async () => {
        const world = await started()
        await world.fetch(list, { token: ada })
        const { error } = await late(world, { match: { status: 200 }, count: 4, since: 0 })
        expect(error).toMatch(/\b1\b.*\b4\b/)
        expect(error).not.toMatch(/no entry/)
      })

      test("after one look with timeout_ms 0", async () => {
        const world = await started()
        await late(world, { match: {}, since: 0, timeout_ms: 0 })
        await world.fetch(list, { token: ada })
        expect(await world.wait({ match: {}, since: 0, timeout_ms: 0 })).toHaveLength(1)
      })

      test("after wall time, whether the virtual clock stands still or moves", async () => {
        const world = await started()
        const waiting = until(world, { match: { status: 401 } }, () =>
          world.advance({ by: "P1D" }).then(() => world.fetch(list))
        )
        expect(await waiting).toMatchObject([{ status: 401 }])
        await late(world, { match: { status: 418 } })
      })
    })

    test("ends when its world is deleted or reset", async () => {
      const world = await started()
      const reset = world.post("/journal/wait", { match: { kind: "attempt" }, timeout_ms: 300 })
      await world.reset()
      expect((await reset).status).toBe(408)
      const gone = world.post("/journal/wait", { match: { kind: "attempt" }, timeout_ms: 300 })
      await world.close()
      expect([404, 408]).toContain((await gone).status)
    })

    describe("is 400", () => {
      test.each([
        ["match", {}],
        ["match", { match: null }],
        ["match", { match: "request" }],
        ["count", { match: {}, count: 0 }],
        ["count", { match: {}, count: 1.5 }],
        ["count", { match: {}, count: "2" }],
        ["since", { match: {}, since: -1 }],
        ["since", { match: {}, since: "now" }],
        ["timeout_ms", { match: {}, timeout_ms: -1 }],
        ["timeout_ms", { match: {}, timeout_ms: "soon" }],
        ["colour", { match: {}, colour: 1 }]
      ])("and names %s: %j", async (path, json) => {
        const world = await started()
        expect(refusalOf(await world.post("/journal/wait", json)).errors.map((error) => error.path)).toEqual([path])
      })
    })
  })
