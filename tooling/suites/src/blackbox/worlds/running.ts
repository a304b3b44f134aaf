import { afterEach, describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, minuteMs, recording, scheduleMs, start } from "../../support/hooks.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { ClockObject, WorldObject } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/**
 * The running mode: wall time carries virtual time. No test here says how long anything takes; each waits for what is to
 * come, at a rate at which it comes soon.
 */

/** A day and a half of virtual time in a few milliseconds. */
const fast = 1e9

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "PUT {c}/clock", () => {
    afterEach(closeReceivers)

    const put = (world: World, json: unknown) => world.control("/clock", { method: "PUT", json })
    const run = async (world: World, rate: number) => bodyOf<ClockObject>(await put(world, { mode: "running", rate }))
    const stop = async (world: World) => bodyOf<ClockObject>(await put(world, { mode: "stopped" }))
    const ms = (instant: string) => Date.parse(instant)
    /** Asks for the time until it is past this instant. */
    const past = async (world: World, instant: string) => {
      let now = await world.now()
      while (ms(now) <= ms(instant)) now = await world.now()
      return now
    }

    test("returns the clock of GET {c}/clock, with its mode and rate", async () => {
      const world = await emulator.start({})
      const clock = await run(world, 0.25)
      expect(keysOf(clock)).toEqual(["in_flight", "mode", "now", "pending", "rate", "started_at"])
      expect(clock).toMatchObject({ mode: "running", rate: 0.25, started_at: start, pending: [] })
      expect(await world.clock()).toMatchObject({ mode: "running", rate: 0.25 })
    })

    test("moves the clock forward only, until it is stopped", async () => {
      const world = await emulator.start({})
      await run(world, 1_000)
      let before = start
      for (let n = 0; n < 5; n += 1) before = await past(world, before)
      const stopped = await stop(world)
      expect(stopped.mode).toBe("stopped")
      expect(ms(stopped.now)).toBeGreaterThanOrEqual(ms(before))
      await emulator.fetch("/_emulator")
      expect(await world.now()).toBe(stopped.now)
    })

    test("fires each event at its own instant", async () => {
      const world = await emulator.start(hooked([500]))
      const [id] = await world.addToFolder("f1", uuid(1))
      await run(world, fast)
      await world.wait({ match: { kind: "attempt" }, count: 6, since: 0, timeout_ms: 30_000 })
      await stop(world)
      expect((await world.journal("?kind=attempt")).map((entry) => [entry.at, entry.elapsed_ms, entry.id])).toEqual(
        scheduleMs.map((elapsed) => [instantAfter(start, elapsed), elapsed, id])
      )
      expect(await world.deliveries()).toMatchObject([{ state: "permanently_failed" }])
    })

    test("fires events that are created meanwhile: an attempt, a transcript, the end of an attempt", async () => {
      const recordings = [{ ...recording, transcript: { script: [{ at: "PT30M", status: "processing" }] } }]
      const world = await emulator.start(hooked([{ status: 500, after: "PT20S" }, 200], {}, { recordings }))
      await run(world, fast / 1_000)
      await world.addToFolder("f1", uuid(1))
      await world.wait({ match: { kind: "attempt", outcome: "success" }, since: 0, timeout_ms: 30_000 })
      await world.wait({ match: { kind: "transcript" }, since: 0, timeout_ms: 30_000 })
      const [first, second] = await world.journal("?kind=attempt")
      expect(first).toMatchObject({ outcome: "failure", duration_ms: 20_000 })
      expect(ms(String(second?.at)) - ms(String(first?.at))).toBe(minuteMs)
      expect((await world.journal("?kind=transcript"))[0]?.at).toBe(instantAfter(start, 30 * minuteMs))
      await stop(world)
    })

    test("fires nothing after the clock is stopped", async () => {
      const world = await emulator.start(hooked([500]))
      await run(world, fast)
      await past(world, start)
      const { now } = await stop(world)
      await world.addToFolder("f1", uuid(1))
      expect(await world.clock()).toMatchObject({ now, mode: "stopped", pending: [{ at: now, attempt: 1 }] })
      expect((await world.advance({ by: 0 })).fired).toMatchObject([{ at: now }])
    })

    test("allows a move of a running clock, and the time never decreases", async () => {
      const world = await emulator.start(hooked([200]))
      await run(world, 1)
      const moved = await world.advance({ by: "P1D" })
      expect(ms(moved.now)).toBeGreaterThanOrEqual(ms(start) + 86_400_000)
      expect(moved.reached).toBe(true)
      expect(ms(await world.now())).toBeGreaterThanOrEqual(ms(moved.now))
      expect(await world.clock()).toMatchObject({ mode: "running", rate: 1 })
      await past(world, moved.now)
      await stop(world)
    })

    test("stops the time during an attempt at a real receiver", async () => {
      let world: World | undefined
      const seen: Array<string> = []
      const real = await receiver(async () => {
        for (let n = 0; n < 5; n += 1) seen.push((await world?.now()) ?? "")
        return { status: 200 }
      })
      world = await emulator.start(hooked([200], { url: real.url }))
      await run(world, 100_000)
      await world.addToFolder("f1", uuid(1))
      const [entry] = await world.wait({ match: { kind: "attempt" }, since: 0, timeout_ms: 30_000 })
      expect(new Set(seen)).toEqual(new Set([entry?.at]))
      expect(entry).toMatchObject({ outcome: "success", duration_ms: 0 })
      await stop(world)
    })

    test("a receiver that calls back during an attempt is refused and does not lock itself up", async () => {
      let world: World | undefined
      const seen: Array<number> = []
      const real = await receiver(async () => {
        if (world !== undefined) {
          seen.push((await put(world, { mode: "stopped" })).status)
          seen.push((await world.control("/reset", { method: "POST" })).status)
        }
        return { status: 200 }
      })
      world = await emulator.start(hooked([200], { url: real.url }))
      await run(world, 100_000)
      await world.addToFolder("f1", uuid(1))
      await world.wait({ match: { kind: "attempt" }, since: 0, timeout_ms: 30_000 })
      expect(seen).toEqual([409, 409])
      expect((await stop(world)).mode).toBe("stopped")
    })

    test("continues from the present time at a new rate", async () => {
      const world = await emulator.start({})
      await run(world, fast)
      const now = await past(world, start)
      const slow = await run(world, 0.001)
      expect(slow.rate).toBe(0.001)
      expect(ms(slow.now)).toBeGreaterThanOrEqual(ms(now))
      await stop(world)
    })

    test.each([
      [{ mod: "stopped" }, "mod: unknown key (did you mean mode?)"],
      [{ zzz: 1 }, "zzz: unknown key"],
      [{ mode: "stopped", rat: 1 }, "rat: unknown key"],
      [{ mode: "running", rate: "fast" }, "rate: must be a number above 0"],
      [{ mode: "running", rate: 0 }, "rate: must be a number above 0"]
    ])("refuses %j with 400, and names what is wrong", async (change, message) => {
      const world = await emulator.start({})
      expect(refusalOf(await put(world, change)).error.split("\n")).toContain(message)
      expect(await world.clock()).toMatchObject({ mode: "stopped" })
    })

    test("affects its own world only", async () => {
      const [running, still] = [await emulator.start({}), await emulator.start({})]
      await run(running, fast)
      await past(running, start)
      expect(await still.clock()).toMatchObject({ now: start, mode: "stopped" })
      await stop(running)
    })

    test("allows deleting the world while its clock runs", async () => {
      const world = await emulator.start(hooked([500]))
      await world.addToFolder("f1", uuid(1))
      await run(world, fast)
      await world.close()
      bodyOf(await world.control(""), 404)
    })

    test("changes nothing if the clock is stopped already", async () => {
      const world = await emulator.start(hooked([200]))
      await world.addToFolder("f1", uuid(1))
      expect(await stop(world)).toMatchObject({ now: start, mode: "stopped", pending: [{ at: start }] })
    })

    test("--clock running runs the default world at rate 1", async () => {
      const started = new Emulator(["--clock", "running"])
      try {
        const world = await started.defaultWorld()
        expect(await world.clock()).toMatchObject({ mode: "running", rate: 1 })
        await past(world, (await started.ready()).now)
        expect((await started.start({})).object).toMatchObject({ now: start } satisfies Partial<WorldObject>)
      } finally {
        await started.stop()
      }
    })

    describe("is 400 and changes nothing", () => {
      test.each([
        ["", {}],
        ["mode", { mode: "walking" }],
        ["mode", { mode: null }],
        ["rate", { mode: "running", rate: 0 }],
        ["rate", { mode: "running", rate: -1 }],
        ["rate", { mode: "running", rate: "fast" }],
        ["rate", { mode: "running", rate: null }],
        ["rate", { mode: "stopped", rate: 1 }],
        ["colour", { mode: "stopped", colour: 1 }]
      ])('with an error at "%s": %j', async (path, json) => {
        const world = await emulator.start({})
        const { error, errors } = refusalOf(await put(world, json))
        expect(errors.map((each) => each.path)).toEqual([path])
        expect(error).toContain(path === "" ? "mode" : path)
        expect(await world.clock()).toMatchObject({ now: start, mode: "stopped" })
      })
    })

    test("the API uses a running clock, so that later changes have later times", async () => {
      const world = await emulator.start(hooked([200]))
      await run(world, fast)
      const before = await past(world, start)
      const patched = await world.fetch(`/api/v2/recordings/${uuid(1)}`, {
        method: "PATCH",
        token: ada,
        json: { recording: { title: "New" } }
      })
      const { metadata } = bodyOf<{ metadata: { updated_at: string } }>(patched)
      expect(ms(metadata.updated_at)).toBeGreaterThanOrEqual(ms(before))
      await stop(world)
    })
  })
