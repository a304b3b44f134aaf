import { afterEach, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { hooked, instantAfter, recording, start } from "../../support/hooks.ts"
import type { Answer } from "../../support/http.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { ClockObject, Recording } from "../../support/shapes.ts"
import { blackbox, bodyOf, refusalV2 } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Calls in the middle of a move of the clock: a receiver that calls back during an attempt. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "During a move", () => {
    afterEach(closeReceivers)

    /** Moves the clock; the receiver, before it answers, makes these calls. */
    const meanwhile = async <T>(calls: (world: World) => Promise<T>, move: unknown = { by: "PT10S" }) => {
      let world: World | undefined
      let seen: Promise<T> | undefined
      const real = await receiver(async () => {
        if (world !== undefined && seen === undefined) {
          seen = calls(world)
          await seen
        }
        return { status: 200 }
      })
      const automations = [
        { id: "real", folder: "f1", url: real.url },
        { id: "quiet", folder: "f2", url: "sink:crm" }
      ]
      world = await emulator.start(hooked([200], {}, { automations }))
      await world.addToFolder("f1", uuid(1))
      const moved = await world.advance(move)
      expect(seen, "the receiver was reached").toBeDefined()
      return { world, moved, seen: (await seen) as T }
    }

    test("another move, a reset, a fork and both snapshot calls are 409, and the move continues", async () => {
      const { world, moved, seen } = await meanwhile((now) =>
        Promise.all([
          now.post("/clock/advance", { by: "PT1H" }),
          now.post("/clock/advance", { next: true }),
          now.control("/reset", { method: "POST" }),
          now.post("/fork", {}),
          now.post("/fork", { id: "in-the-middle" }),
          now.control("/snapshot")
        ])
      )
      bodyOf(await emulator.fetch("/worlds/in-the-middle/_emulator"), 404)
      for (const answer of seen) refusalV2(answer, 409)
      expect(moved).toMatchObject({ now: instantAfter(start, 10_000), reached: true, fired: [{ outcome: "success" }] })
      expect((await world.deliveries()).map(({ state }) => state)).toEqual(["delivered"])
      expect((await world.advance({ by: 0 })).reached).toBe(true)
    })

    test("restoring a snapshot is 409 before the snapshot is parsed", async () => {
      const snapshot = (await (await emulator.start({})).snapshot()).as()
      const { world, seen } = await meanwhile((now) => now.control("/snapshot", { method: "PUT", json: snapshot }))
      refusalV2(seen, 409)
      expect((await world.deliveries()).map(({ state }) => state)).toEqual(["delivered"])
    })

    test("sinks, faults, sessions, reads and waits of the control plane are served", async () => {
      const { seen } = await meanwhile(async (now) => [
        await now.post("/sinks", { id: "s", respond: [200] }),
        await now.control("/sinks/s", { method: "PUT", json: { respond: [500] } }),
        await now.post("/faults", { match: { path: "/nowhere" }, respond: [503] }),
        await now.control("/faults", { method: "DELETE" }),
        await now.post("/sessions", { user: "ada@acme.test" }),
        await now.control("/deliveries"),
        await now.control("/journal"),
        await now.post("/journal/wait", { match: { kind: "control" }, since: 0 })
      ])
      expect(seen.map(({ status }) => status)).toEqual([201, 200, 201, 204, 201, 200, 200, 200])
    })

    test("deleting the world ends the move, and the world is gone", async () => {
      const other = await emulator.start(hooked([200]))
      let world: World | undefined
      let removed: Answer | undefined
      const real = await receiver(async () => {
        removed ??= await world?.control("", { method: "DELETE" })
        return { status: 200 }
      })
      world = await emulator.start(hooked([200], { url: real.url }))
      await world.addToFolder("f1", uuid(1))
      const moved = await world.post("/clock/advance", { by: "PT1M" })
      expect([204, 409], String(removed)).toContain(removed?.status)
      expect([200, 404, 409], String(moved)).toContain(moved.status)
      bodyOf(await world.control(""), removed?.status === 204 ? 404 : 200)
      expect((await other.advance({ by: 1 })).reached).toBe(true)
    })

    test("the clock and the world show attempts in flight, at the frozen time", async () => {
      const { world, seen } = await meanwhile((now) => Promise.all([now.control("/clock"), now.control("")]))
      const [clock, object] = seen.map((answer) => bodyOf<ClockObject>(answer))
      expect(clock).toMatchObject({ now: start, in_flight: 1, mode: "stopped" })
      expect(object).toMatchObject({ now: start, in_flight: 1 })
      expect(await world.clock()).toMatchObject({ in_flight: 0 })
    })

    test("the API is served, at the frozen time", async () => {
      const path = `/api/v2/recordings/${uuid(1)}`
      const { world, seen } = await meanwhile((now) =>
        Promise.all([
          now.fetch(path, { token: ada }),
          now.fetch(path, { token: ada, method: "PATCH", json: { recording: { title: "From the hook" } } })
        ])
      )
      const [read, patched] = seen.map((answer: Answer) => bodyOf<Recording>(answer))
      expect(read?.uuid).toBe(uuid(1))
      expect(patched).toMatchObject({ title: "From the hook", metadata: { updated_at: start } })
      expect(bodyOf(await world.fetch(path, { token: ada }))).toEqual(patched)
    })

    test("fixtures can be loaded, and a delivery that falls due within the move fires in it", async () => {
      const { moved, seen } = await meanwhile(async (now) => {
        bodyOf(await now.post("/fixtures", { recordings: [{ ...recording, uuid: uuid(77) }] }), 201)
        return now.addToFolder("f2", uuid(77))
      })
      expect(seen).toHaveLength(1)
      expect(moved.fired.map(({ id, at, outcome }) => [id, at, outcome])).toEqual([
        [expect.any(String), start, "success"],
        [seen[0], start, "success"]
      ])
    })

    test("worlds do not wait for each other", async () => {
      const other = await emulator.start(hooked([200]))
      await other.addToFolder("f1", uuid(1))
      const { seen } = await meanwhile(() => other.advance({ by: "PT1H" }))
      expect(seen).toMatchObject({ now: "2026-01-01T01:00:00.000Z", fired: [{ outcome: "success" }] })
    })

    test("recordings that a receiver adds at each attempt fire in the same move", async () => {
      let world: World | undefined
      let next = 2
      const real = await receiver(async () => {
        if (world !== undefined && next <= 3) await world.addToFolder("f1", uuid(next++))
        return { status: 200 }
      })
      world = await emulator.start(hooked([200], { url: real.url }))
      await world.addToFolder("f1", uuid(1))
      const { fired } = await world.advance({ by: 0 })
      expect(fired.map(({ at, outcome }) => [at, outcome])).toEqual(Array(3).fill([start, "success"]))
      expect((await world.deliveries()).map((delivery) => delivery.recording)).toEqual([uuid(1), uuid(2), uuid(3)])
    })

    test("calls that were refused during the move are accepted afterwards", async () => {
      const { world } = await meanwhile((now) => now.control("/reset", { method: "POST" }))
      const reset = bodyOf<{ now: string }>(await world.control("/reset", { method: "POST" }))
      expect(reset.now).toBe(start)
      expect(await world.deliveries()).toEqual([])
    })
  })
