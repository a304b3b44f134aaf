import { afterEach, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, minuteMs, start } from "../../support/hooks.ts"
import type { Answer } from "../../support/http.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { Moved } from "../../support/shapes.ts"
import { blackbox, bodyOf, refusalV2 } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** `Idempotency-Key`: a call that is made again does not move time twice. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Idempotency-Key on a move", () => {
    afterEach(closeReceivers)

    const move = (world: World, key: string, json: unknown) =>
      world.control("/clock/advance", { method: "POST", json, headers: { "idempotency-key": key } })

    test("a repeated key returns the first answer, and moves nothing", async () => {
      const world = await emulator.start(hooked([500]))
      await world.addToFolder("f1", uuid(1))
      const first = await move(world, "k1", { by: "PT10M" })
      expect(bodyOf<Moved>(first)).toMatchObject({ now: instantAfter(start, 10 * minuteMs), reached: true })
      expect(bodyOf<Moved>(first).fired).toHaveLength(3)
      const again = await move(world, "k1", { by: "PT10M" })
      expect([again.status, again.text]).toEqual([first.status, first.text])
      expect(await world.now()).toBe(instantAfter(start, 10 * minuteMs))
      expect((await world.sink("crm")).requests).toHaveLength(3)
    })

    test("a repeated key does the same after other moves, and with another body", async () => {
      const world = await emulator.start({})
      const first = await move(world, "k1", { by: 1_000 })
      await world.advance({ by: "P1D" })
      const again = await move(world, "k1", { until: "idle" })
      expect(again.text).toBe(first.text)
      expect(await world.now()).toBe(instantAfter(start, 86_401_000))
    })

    test("another key moves the recording, and so does a request without a key", async () => {
      const world = await emulator.start({})
      bodyOf(await move(world, "k1", { by: 1 }))
      bodyOf(await move(world, "K1", { by: 1 }))
      bodyOf(await world.post("/clock/advance", { by: 1 }))
      bodyOf(await world.post("/clock/advance", { by: 1 }))
      expect(await world.now()).toBe(instantAfter(start, 4))
    })

    test("a key is valid in its own world only", async () => {
      const [world, other] = [await emulator.start({}), await emulator.start({})]
      bodyOf(await move(world, "k1", { by: 1 }))
      bodyOf(await move(other, "k1", { by: 2 }))
      expect([await world.now(), await other.now()]).toEqual([instantAfter(start, 1), instantAfter(start, 2)])
    })

    test("a repeated request writes no journal entry", async () => {
      const world = await emulator.start({})
      await move(world, "k1", { by: 1 })
      const before = await world.journal()
      await move(world, "k1", { by: 1 })
      expect(await world.journal()).toEqual(before)
    })

    test("a refused request does not store its key, so that the corrected one can use it", async () => {
      const world = await emulator.start({})
      refusalOf(await move(world, "k1", { by: -1 }))
      refusalOf(await move(world, "k1", { to: "2020-01-01T00:00:00Z" }))
      expect(bodyOf<Moved>(await move(world, "k1", { by: 5 })).now).toBe(instantAfter(start, 5))
    })

    test("a reset of the world removes stored keys", async () => {
      const world = await emulator.start({})
      bodyOf(await move(world, "k1", { by: 5 }))
      await world.reset()
      expect(bodyOf<Moved>(await move(world, "k1", { by: 7 })).now).toBe(instantAfter(start, 7))
    })

    test("a repeated key is 409 while the first request is in progress, then it gets the first response", async () => {
      let world: World | undefined
      const seen: Array<Answer> = []
      const real = await receiver(async () => {
        if (world !== undefined && seen.length === 0) {
          seen.push(await move(world, "k1", { by: "PT1H" }), await move(world, "k2", { by: "PT1H" }))
        }
        return { status: 200 }
      })
      world = await emulator.start(hooked([200], { url: real.url }))
      await world.addToFolder("f1", uuid(1))
      const first = await move(world, "k1", { by: "PT1M" })
      expect(bodyOf<Moved>(first).fired).toHaveLength(1)
      expect(seen).toHaveLength(2)
      for (const answer of seen) refusalV2(answer, 409)
      expect((await move(world, "k1", { by: "PT1M" })).text).toBe(first.text)
      // The other was refused for a move that it met: it did not happen, and can now.
      expect(bodyOf<Moved>(await move(world, "k2", { by: "PT1H" })).now).toBe(instantAfter(start, 61 * minuteMs))
    })
  })
