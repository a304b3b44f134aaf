import { afterEach, describe, expect, test } from "vitest"
import { ada, uuid } from "../support/acme.ts"
import { Emulator, refusalOf, type World } from "../support/emulator.ts"
import { after, hooked, minuteMs, recording, scheduleMs, start } from "../support/hooks.ts"
import { closeReceivers, receiver } from "../support/receiver.ts"
import type { ClockObject, WorldObject } from "../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../support/target.ts"

/**
 * The running mode: wall time carries virtual time. No test here says how long anything takes; each waits for what is to
 * come, at a rate at which it comes soon.
 */

/** A day and a half of virtual time in a few milliseconds. */
const fast = 1e9

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

    test("as GET {c}/clock, with its mode and rate", async () => {
      const world = await emulator.start({})
      const clock = await run(world, 0.25)
      expect(keysOf(clock)).toEqual(["in_flight", "mode", "now", "pending", "rate", "started_at"])
      expect(clock).toMatchObject({ mode: "running", rate: 0.25, started_at: start, pending: [] })
      expect(await world.clock()).toMatchObject({ mode: "running", rate: 0.25 })
    })

    test("it moves by itself, forward only, until it is stopped", async () => {
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

    test("what is due fires by itself, each at its own instant", async () => {
      const world = await emulator.start(hooked([500]))
      const [id] = await world.addToFolder("f1", uuid(1))
      await run(world, fast)
      await world.wait({ match: { kind: "attempt" }, count: 6, since: 0, timeout_ms: 30_000 })
      await stop(world)
      expect((await world.journal("?kind=attempt")).map((entry) => [entry.at, entry.elapsed_ms, entry.id])).toEqual(
        scheduleMs.map((elapsed) => [after(start, elapsed), elapsed, id])
      )
      expect(await world.deliveries()).toMatchObject([{ state: "permanently_failed" }])
    })

    test("what comes to be while it runs fires too: an attempt, a transcript, the end of what takes time", async () => {
      const recordings = [{ ...recording, transcript: { script: [{ at: "PT30M", status: "processing" }] } }]
      const world = await emulator.start(hooked([{ status: 500, after: "PT20S" }, 200], {}, { recordings }))
      await run(world, fast / 1_000)
      await world.addToFolder("f1", uuid(1))
      await world.wait({ match: { kind: "attempt", outcome: "success" }, since: 0, timeout_ms: 30_000 })
      await world.wait({ match: { kind: "transcript" }, since: 0, timeout_ms: 30_000 })
      const [first, second] = await world.journal("?kind=attempt")
      expect(first).toMatchObject({ outcome: "failure", duration_ms: 20_000 })
      expect(ms(String(second?.at)) - ms(String(first?.at))).toBe(minuteMs)
      expect((await world.journal("?kind=transcript"))[0]?.at).toBe(after(start, 30 * minuteMs))
      await stop(world)
    })

    test("stopped, nothing fires by itself any more", async () => {
      const world = await emulator.start(hooked([500]))
      await run(world, fast)
      await past(world, start)
      const { now } = await stop(world)
      await world.addToFolder("f1", uuid(1))
      expect(await world.clock()).toMatchObject({ now, mode: "stopped", pending: [{ at: now, attempt: 1 }] })
      expect((await world.advance({ by: 0 })).fired).toMatchObject([{ at: now }])
    })

    test("a move works while it runs, and the time does not go back", async () => {
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

    test("time stands still while a real receiver is waited for", async () => {
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

    test("another rate goes on from where it is", async () => {
      const world = await emulator.start({})
      await run(world, fast)
      const now = await past(world, start)
      const slow = await run(world, 0.001)
      expect(slow.rate).toBe(0.001)
      expect(ms(slow.now)).toBeGreaterThanOrEqual(ms(now))
      await stop(world)
    })

    test("worlds run on their own", async () => {
      const [running, still] = [await emulator.start({}), await emulator.start({})]
      await run(running, fast)
      await past(running, start)
      expect(await still.clock()).toMatchObject({ now: start, mode: "stopped" })
      await stop(running)
    })

    test("a world that runs can be deleted", async () => {
      const world = await emulator.start(hooked([500]))
      await world.addToFolder("f1", uuid(1))
      await run(world, fast)
      await world.close()
      bodyOf(await world.control(""), 404)
    })

    test("stopping what is stopped changes nothing", async () => {
      const world = await emulator.start(hooked([200]))
      await world.addToFolder("f1", uuid(1))
      expect(await stop(world)).toMatchObject({ now: start, mode: "stopped", pending: [{ at: start }] })
    })

    test("--clock running: the default world runs, at rate 1", async () => {
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

    describe("400, and nothing has happened", () => {
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
      ])('at "%s": %j', async (path, json) => {
        const world = await emulator.start({})
        const { error, errors } = refusalOf(await put(world, json))
        expect(errors.map((each) => each.path)).toEqual([path])
        expect(error).toContain(path === "" ? "mode" : path)
        expect(await world.clock()).toMatchObject({ now: start, mode: "stopped" })
      })
    })

    test("the API lives by it: what is changed later is later", async () => {
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
