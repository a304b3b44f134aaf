import { describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf } from "../../support/emulator.ts"
import { hooked, instantAfter, minuteMs, recording, scheduleMs, start } from "../../support/hooks.ts"
import type { Recording } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** The clock: what it shows, and every way to move it. */

const movedKeys = ["fired", "next", "now", "pending_count", "reached", "stopped_by"]
const idle = { fired: [], pending_count: 0, next: null, reached: true, stopped_by: null }

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "The clock", () => {
    /** A world with one delivery due now. */
    const due = async (respond: ReadonlyArray<unknown>, rest: Record<string, unknown> = {}) => {
      const world = await emulator.start(hooked(respond, {}, rest))
      const [id] = await world.addToFolder("f1", uuid(1))
      return { world, id: String(id) }
    }

    describe("GET {c}/clock", () => {
      test("the clock is {now, started_at, mode, rate, in_flight, pending}, and stopped by default", async () => {
        const world = await emulator.start({}, { now: "2026-03-01T12:00:00.250Z" })
        const clock = await world.clock()
        expect(keysOf(clock)).toEqual(["in_flight", "mode", "now", "pending", "rate", "started_at"])
        expect(clock).toMatchObject({
          now: "2026-03-01T12:00:00.250Z",
          started_at: "2026-03-01T12:00:00.250Z",
          mode: "stopped",
          in_flight: 0,
          pending: []
        })
      })

      test("started_at does not change when the clock moves", async () => {
        const world = await emulator.start({})
        await world.advance({ by: 1_500 })
        expect(await world.clock()).toMatchObject({ now: instantAfter(start, 1_500), started_at: start })
      })

      test("a stopped clock fires nothing, not even events that are due now", async () => {
        const { world, id } = await due([200])
        expect((await world.clock()).pending).toEqual([{ at: start, kind: "attempt", id, attempt: 1, elapsed_ms: 0 }])
        expect((await world.sink("crm")).requests).toEqual([])
        expect(await world.now()).toBe(start)
      })

      test("pending is sorted by due time, then first in first out", async () => {
        const recordings = [
          { ...recording, transcript: { script: [{ at: "PT90S", status: "processing" }] } },
          { ...recording, uuid: uuid(2), transcript: { script: [{ at: "PT30S", status: "processing" }] } }
        ]
        const automations = ["a1", "a2"].map((id) => ({ id, folder: "f1", url: "sink:crm" }))
        const world = await emulator.start(hooked([500], {}, { recordings, automations }))
        const [first, second] = await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        const [third, fourth] = await world.addToFolder("f1", uuid(2))
        const { pending } = await world.clock()
        expect(pending.map(({ at, kind, id }) => [at, kind, id])).toEqual([
          [start, "attempt", third],
          [start, "attempt", fourth],
          [instantAfter(start, 30_000), "transcript", uuid(2)],
          [instantAfter(start, 60_000), "attempt", first],
          [instantAfter(start, 60_000), "attempt", second],
          [instantAfter(start, 90_000), "transcript", uuid(1)]
        ])
        expect(pending[3]).toEqual({
          at: instantAfter(start, 60_000),
          kind: "attempt",
          id: first,
          attempt: 2,
          elapsed_ms: 60_000
        })
        const { fired } = await world.advance({ by: "PT90S" })
        expect(fired.slice(0, 5).map(({ id }) => id)).toEqual([third, fourth, uuid(2), first, second])
      })
    })

    describe("POST {c}/clock/advance", () => {
      test.each([
        ["{by: ms}", { by: 90_000 }, 90_000],
        ["{by: ISO 8601}", { by: "PT1M30S" }, 90_000],
        ["{by} of days", { by: "P1DT1S" }, 86_401_000],
        ["{by} of parts of a second", { by: "PT0.25S" }, 250],
        ["{by} of hours", { by: "2h" }, 7_200_000],
        ["{by} of seconds", { by: "90s" }, 90_000],
        ["{by} of several units", { by: "1h 30m" }, 5_400_000],
        ["{by} as the console writes it", { by: "14 h 36 m" }, 52_560_000],
        ["{by: 0}", { by: 0 }, 0],
        ["{by: PT0S}", { by: "PT0S" }, 0],
        ["{to}", { to: "2026-01-02T00:00:00.000Z" }, 86_400_000],
        ["{to} without milliseconds", { to: "2026-01-02T00:00:00Z" }, 86_400_000],
        ["{to: now}", { to: start }, 0],
        ["{next: true}", { next: true }, 0],
        ["{until: idle}", { until: "idle" }, 0]
      ])("an advance without due events moves the clock: %s", async (_, move, ms) => {
        const world = await emulator.start({})
        const moved = await world.advance(move)
        expect(keysOf(moved)).toEqual(movedKeys)
        expect(moved).toEqual({ now: instantAfter(start, ms), ...idle })
        expect(await world.now()).toBe(instantAfter(start, ms))
      })

      test("an instant is returned with milliseconds", async () => {
        const world = await emulator.start({}, { now: "2026-03-01T00:00:00Z" })
        expect(world.object.now).toBe("2026-03-01T00:00:00.000Z")
        expect((await world.advance({ by: "PT1S" })).now).toBe("2026-03-01T00:00:01.000Z")
      })

      test.each([
        ["{by: 0}", { by: 0 }],
        ["{to: now}", { to: start }],
        ["{next: true}", { next: true }]
      ])("%s fires events that are due now", async (_, move) => {
        const { world, id } = await due([500])
        const next = { at: instantAfter(start, minuteMs), kind: "attempt", id, attempt: 2, elapsed_ms: minuteMs }
        expect(await world.advance(move)).toEqual({
          now: start,
          fired: [{ at: start, kind: "attempt", id, attempt: 1, elapsed_ms: 0, outcome: "failure", status_code: 500 }],
          pending_count: 1,
          next,
          reached: true,
          stopped_by: null
        })
        expect((await world.clock()).pending).toEqual([next])
      })

      test("{by} fires each event at its own instant, with the events that follow from it, and stops at its target", async () => {
        const { world } = await due([500])
        const moved = await world.advance({ by: "PT40M" })
        expect(moved.now).toBe(instantAfter(start, 40 * minuteMs))
        expect(moved.fired.map(({ at }) => at)).toEqual(
          [0, 1, 6, 36].map((minute) => instantAfter(start, minute * minuteMs))
        )
        expect(moved).toMatchObject({ pending_count: 1, next: { at: instantAfter(start, 156 * minuteMs), attempt: 5 } })
        const seen = (await world.sink("crm")).requests.map(({ at }) => at)
        expect(seen).toEqual(moved.fired.map(({ at }) => at))
      })

      test("an event that is due at the target fires", async () => {
        const { world } = await due([500])
        expect((await world.advance({ by: minuteMs })).fired).toHaveLength(2)
        expect((await world.advance({ to: instantAfter(start, 6 * minuteMs - 1) })).fired).toHaveLength(0)
        expect((await world.advance({ to: instantAfter(start, 6 * minuteMs) })).fired).toHaveLength(1)
      })

      test("{next: true} fires all events of the next instant, and no more", async () => {
        const automations = ["a1", "a2", "a3"].map((id) => ({ id, folder: "f1", url: "sink:crm" }))
        const { world } = await due([500], { automations })
        await world.advance({ by: 0 })
        const { now, fired, pending_count } = await world.advance({ next: true })
        expect(now).toBe(instantAfter(start, minuteMs))
        expect(fired.map(({ at, attempt }) => [at, attempt])).toEqual(Array(3).fill([now, 2]))
        expect(pending_count).toBe(3)
      })

      test("{until: idle} continues until nothing is pending, and ends at the last event", async () => {
        const { world } = await due([500])
        await world.advance({ by: "PT10S" })
        const moved = await world.advance({ until: "idle" })
        expect(moved).toMatchObject({
          now: instantAfter(start, 876 * minuteMs),
          pending_count: 0,
          next: null,
          reached: true
        })
        expect(moved.fired).toHaveLength(5)
      })

      test("max_events stops the move, and the next move continues", async () => {
        const { world } = await due([500])
        const stopped = await world.advance({ until: "idle", max_events: 4 })
        expect(stopped).toMatchObject({
          now: instantAfter(start, scheduleMs[3] ?? 0),
          pending_count: 1,
          next: { at: instantAfter(start, scheduleMs[4] ?? 0), attempt: 5 },
          reached: false,
          stopped_by: "max_events"
        })
        expect(stopped.fired).toHaveLength(4)
        const rest = await world.advance({ until: "idle", max_events: 2 })
        expect(rest).toMatchObject({ reached: true, stopped_by: null, pending_count: 0 })
        expect(rest.fired).toHaveLength(2)
      })

      test("max_events is 10,000 by default", async () => {
        const automations = Array.from({ length: 200 }, (_, n) => ({ id: `a${n}`, folder: "f1", url: "sink:crm" }))
        const recordings = Array.from({ length: 9 }, (_, n) => ({ ...recording, uuid: uuid(n + 1) }))
        const world = await emulator.start(hooked([500], {}, { automations, recordings }))
        for (const each of recordings) await world.addToFolder("f1", each.uuid)
        const stopped = await world.advance({ until: "idle" })
        expect(stopped.fired).toHaveLength(10_000)
        // Attempts, and a mail about each automation that has failed.
        const left = 1_800 - 1_000 + automations.length
        expect(stopped).toMatchObject({ reached: false, stopped_by: "max_events", pending_count: left })
        expect((await world.advance({ until: "idle" })).fired).toHaveLength(800)
      })

      test("max_events with {by} stops the move before its target", async () => {
        const { world } = await due([500])
        const stopped = await world.advance({ by: "P1D", max_events: 1 })
        expect(stopped).toMatchObject({ now: start, reached: false, stopped_by: "max_events" })
        expect(await world.advance({ by: "PT30S", max_events: 1 })).toMatchObject({ fired: [], reached: true })
      })
    })

    describe("an invalid advance changes nothing", () => {
      test.each([
        ["nothing", {}, undefined],
        ["two forms", { by: 1, to: "2027-01-01T00:00:00Z" }, undefined],
        ["by and next", { by: 1, next: true }, undefined],
        ["next and until", { next: true, until: "idle" }, undefined],
        ["next: false", { next: false }, "next"],
        ["until something else", { until: "noon" }, "until"],
        ["by in words", { by: "a minute" }, "by"],
        ["by null", { by: null }, "by"],
        ["by below 0", { by: -1 }, "by"],
        ["by a negative duration", { by: "-PT1M" }, "by"],
        ["to in words", { to: "tomorrow" }, "to"],
        ["to the past", { to: "2025-12-31T23:59:59.999Z" }, "to"],
        ["an unknown key", { by: 1, colour: "red" }, "colour"],
        ["max_events in words", { by: 1, max_events: "many" }, "max_events"],
        ["max_events below 0", { by: 1, max_events: -1 }, "max_events"],
        ["max_events in parts", { by: 1, max_events: 1.5 }, "max_events"],
        ["a list", [], undefined],
        ["a word", "idle", undefined]
      ])("is 400: %s", async (_, move, path) => {
        const { world } = await due([200])
        const { errors } = refusalOf(await world.post("/clock/advance", move))
        if (path !== undefined) expect(errors.map((error) => error.path)).toContain(path)
        expect(await world.clock()).toMatchObject({ now: start, pending: [{ at: start }] })
      })
    })

    describe("attempts that take virtual time", () => {
      const slow = { status: 200, after: "PT10S" }

      test("an unfinished attempt has outcome null; its end is pending", async () => {
        const { world, id } = await due(["timeout", 200])
        const moved = await world.advance({ by: 0 })
        expect(moved.fired).toHaveLength(1)
        expect(moved.fired[0]).toMatchObject({
          at: start,
          kind: "attempt",
          id,
          attempt: 1,
          elapsed_ms: 0,
          outcome: null
        })
        const end = { at: instantAfter(start, 30_000), kind: "attempt_end", id, attempt: 1 }
        expect(moved).toMatchObject({ pending_count: 1, next: end })
        expect((await world.clock()).pending).toMatchObject([end])
        const [delivery] = await world.deliveries()
        expect(delivery).toMatchObject({ id, state: "attempting" })
      })

      test("a move passes the end like any other event, without an entry in fired", async () => {
        const { world } = await due([slow])
        await world.advance({ next: true })
        expect(await world.advance({ next: true })).toEqual({ now: instantAfter(start, 10_000), ...idle })
        const [delivery] = await world.deliveries()
        expect(delivery).toMatchObject({ state: "delivered", attempts: [{ outcome: "success", duration_ms: 10_000 }] })
      })

      test("an attempt that ends within the move is one entry, at its start, with its outcome", async () => {
        const { world, id } = await due([slow])
        const { fired, now } = await world.advance({ until: "idle" })
        expect(fired).toEqual([
          { at: start, kind: "attempt", id, attempt: 1, elapsed_ms: 0, outcome: "success", status_code: 200 }
        ])
        expect(now).toBe(instantAfter(start, 10_000))
      })

      test("a move never passes its target", async () => {
        const { world } = await due([slow])
        expect(await world.advance({ by: 9_999 })).toMatchObject({
          now: instantAfter(start, 9_999),
          fired: [{ outcome: null }],
          pending_count: 1
        })
        expect(await world.advance({ by: 1 })).toEqual({ now: instantAfter(start, 10_000), ...idle })
      })

      test("other events fire during an attempt", async () => {
        const recordings = [{ ...recording, transcript: { script: [{ at: "PT5S", status: "processing" }] } }]
        const { world, id } = await due([slow], { recordings })
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map((event) => [event.kind, event.at, event.id])).toEqual([
          ["attempt", start, id],
          ["transcript", instantAfter(start, 5_000), uuid(1)]
        ])
      })

      test("W3: a retry is due its delay after the start of the previous attempt", async () => {
        const { world } = await due([{ status: 500, after: "PT20S" }, 200])
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ at, outcome }) => [at, outcome])).toEqual([
          [start, "failure"],
          [instantAfter(start, minuteMs), "success"]
        ])
      })
    })

    test("the API uses this clock for updated_at and the Date header", async () => {
      const world = await emulator.start(acme({ recordings: [recording] }), { now: "2030-06-01T10:00:00.000Z" })
      await world.advance({ by: "PT1H0.5S" })
      const answer = await world.fetch(`/api/v2/recordings/${uuid(1)}`, {
        method: "PATCH",
        token: ada,
        json: { recording: { title: "New" } }
      })
      expect(bodyOf<Recording>(answer).metadata.updated_at).toBe("2030-06-01T11:00:00.500Z")
      expect(answer.header("date"), String(answer)).toBe("Sat, 01 Jun 2030 11:00:00 GMT")
      const refused = await world.fetch("/api/v2/nope", { token: bob })
      expect(refused.header("date"), String(refused)).toBe("Sat, 01 Jun 2030 11:00:00 GMT")
    })
  })
