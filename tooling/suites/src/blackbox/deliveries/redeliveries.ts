import { beforeAll, beforeEach, describe, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { hooked } from "../../support/hooks.ts"
import { type Settings, signIn } from "../../support/settings.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** Delivering again by a filter, and calling off. On every target. */

interface Redelivery {
  readonly id: string
  readonly state: string
  readonly redelivered: number
}

interface Page {
  readonly deliveries: ReadonlyArray<{ readonly id: string; readonly redelivery_of: string | null }>
}

/** No policy lets it through: nothing is sent, wherever the tests run. */
const nowhere = "https://10.1.2.3/hook"

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: redeliveries", () => {
    let running: Running
    let automation: string
    let failed: ReadonlyArray<string>
    const ask = (method: string, path: string, json?: unknown, token = ada, headers = {}) =>
      running.fetch(`/api/settings${path}`, { method, token, json, headers })
    const get = async <T>(path: string) => bodyOf<T>(await ask("GET", path))
    const make = async (path: string, json: unknown) => bodyOf<{ id: string }>(await ask("POST", path, json), 201)
    const start = async (json: unknown) => bodyOf<Redelivery>(await ask("POST", "/redeliveries", json), 201)
    const log = async () => (await get<Page>(`/automations/${automation}/deliveries`)).deliveries

    /** On the emulator time is moved; a server's passes. */
    const passing = async () => {
      if (running.controlUrl === null) return
      const moved = await running.fetch("/_emulator/clock/advance", { method: "POST", json: { by: "PT2S" } })
      expect(moved.status, String(moved)).toBe(200)
    }
    const ended = async (id: string) => {
      await passing()
      const read = () => get<Redelivery>(`/redeliveries/${id}`)
      await expect.poll(read, { timeout: 30_000, interval: 20 }).not.toMatchObject({ state: "running" })
      return read()
    }

    beforeAll(async () => {
      running = await target.start(acme({ recordings: [{ uuid: uuid(1), title: "Put in place" }] }))
      const folder = (await make("/folders", { name: "New" })).id
      automation = (await make("/automations", { folder_id: folder, url: nowhere })).id
      for (const title of ["One", "Two", "Three"]) {
        const recording = bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title }), 201).uuid
        bodyOf(await ask("PUT", `/recordings/${recording}/folder`, { folder_id: folder }))
      }
      failed = (await log()).map(({ id }) => id)
    }, 60_000)

    test("a dry run counts the matching deliveries, and delivers nothing", async () => {
      const estimate = await ask("POST", "/redeliveries", { automation_id: automation, dry_run: true })
      expect(bodyOf(estimate)).toEqual({
        ...{ dry_run: true, count: 3, count_is_exact: true },
        ...{ examined: 3, skipped: { send_tests: 0, receivers: 0, payloads: 0, unsent: 0 } }
      })
      expect(await log()).toHaveLength(3)
    })

    test("a redelivery sends the matching deliveries again, newest first, and reports its progress", async () => {
      const job = await start({ automation_id: automation, limit: 2, rate: 100 })
      expect(job).toMatchObject({
        filters: { automation_id: automation },
        limit: 2,
        rate: 100,
        count: 3,
        count_is_exact: true,
        started_by: expect.any(Number),
        stopped_because: null
      })
      expect(await ended(job.id)).toMatchObject({ state: "finished", redelivered: 2, skipped: 0 })
      const again = (await log()).flatMap(({ redelivery_of }) => redelivery_of ?? [])
      expect(again.toReversed()).toEqual(failed.slice(0, 2))
      const { redeliveries } = await get<{ redeliveries: ReadonlyArray<Redelivery> }>("/redeliveries")
      expect(redeliveries[0]).toMatchObject({ id: job.id, state: "finished" })
    })

    test("a stopped redelivery delivers nothing more, and stopping it again changes nothing", async () => {
      const before = (await log()).length
      const job = await start({ automation_id: automation, rate: 1 })
      const stopped = bodyOf<Redelivery>(await ask("POST", `/redeliveries/${job.id}/stop`))
      expect(stopped).toMatchObject({ state: "stopped", stopped_because: "requested" })
      expect(bodyOf(await ask("POST", `/redeliveries/${job.id}/stop`))).toEqual(stopped)
      expect((await log()).length).toBe(before + stopped.redelivered)
    })

    test("a repeated Idempotency-Key starts it once", async () => {
      const key = { "idempotency-key": "once" }
      const body = { event: "none" }
      const first = await ask("POST", "/redeliveries", body, ada, key)
      const second = await ask("POST", "/redeliveries", body, ada, key)
      expect(bodyOf<Redelivery>(second, 201).id).toBe(bodyOf<Redelivery>(first, 201).id)
      expect(second.headers["idempotency-replayed"]).toBe("true")
    })

    test("members get 403, another account 404, and refusals name the field", async () => {
      const { id } = await start({ event: "none" })
      refusalV2(await ask("GET", "/redeliveries", undefined, bob), 403)
      refusalV2(await ask("POST", "/redeliveries", {}, bob), 403)
      refusalV2(await ask("GET", `/redeliveries/${id}`, undefined, otto), 404)
      refusalV2(await ask("POST", `/redeliveries/${id}/stop`, undefined, otto), 404)
      expect(refusalV2(await ask("POST", "/redeliveries", { limit: 10_001 }), 422)).toMatch(/limit must be/)
      expect(refusalV2(await ask("POST", "/redeliveries", { rate: 101 }), 422)).toMatch(/rate must be/)
      expect(refusalV2(await ask("POST", "/redeliveries", { cursor: "x" }), 400)).toMatch(/cursor/)
      await ended(id)
    })

    test("an ended delivery cannot be cancelled", async () => {
      const [made] = failed
      const state = async () => (await get<{ state: string }>(`/deliveries/${made}`)).state
      const cancelled = await ask("POST", `/deliveries/${made}/cancel`)
      if (cancelled.status === 200) expect(["cancelled", "attempting"]).toContain(await state())
      else refusalV2(cancelled, 409)
      refusalV2(await ask("POST", `/deliveries/${made}/cancel`, undefined, bob), 403)
      refusalV2(await ask("POST", `/deliveries/${made}/cancel`, undefined, otto), 404)
    })
  })

/** Where the clock can be moved. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: redeliveries over time", () => {
    let world: World
    let settings: Settings
    beforeEach(async () => {
      const recordings = [1, 2, 3].map((n) => ({ uuid: uuid(n), title: `Recording ${n}` }))
      world = await emulator.start(hooked([500, 500, 500, 200], {}, { recordings }))
      settings = await signIn(world, "ada@acme.test")
      for (const n of [1, 2, 3]) await world.addToFolder("f1", uuid(n))
      await world.advance({ by: 0 })
    })

    test("a redelivery is pending on the clock, and fires at its rate", async () => {
      const { id } = await settings.make<Redelivery>("/redeliveries", { state: "waiting", rate: 1 })
      const { pending } = await world.clock()
      expect(pending).toContainEqual(expect.objectContaining({ kind: "redelivery", id }))
      const fired = (await world.advance({ by: "PT2S" })).fired.filter(({ kind }) => kind === "redelivery")
      expect(fired).toHaveLength(3)
      const job = await settings.get<Redelivery>(`/redeliveries/${id}`)
      expect(job).toMatchObject({ state: "finished", redelivered: 3, ended_at: fired[2]?.at })
      expect((await world.deliveries()).map(({ state }) => state)).toEqual([
        ...Array(3).fill("cancelled"),
        ...Array(3).fill("delivered")
      ])
    })

    describe("a cancelled delivery", () => {
      test("is not attempted again, and its explanation names the user", async () => {
        const { id } = (await world.deliveries())[0]!
        expect(await settings.act("POST", `/deliveries/${id}/cancel`)).toMatchObject({ id, state: "cancelled" })
        expect(await settings.act("POST", `/deliveries/${id}/cancel`)).toMatchObject({ id, state: "cancelled" })
        await world.advance({ by: "PT13H" })
        expect(await settings.get(`/deliveries/${id}`)).toMatchObject({
          state: "cancelled",
          attempts: [{ attempt: 1 }]
        })
        expect(await settings.get(`/deliveries/${id}/explain`)).toMatchObject({
          reason: "cancelled",
          cancellation: {
            cause: "called_off",
            by: { event_type: "automation.delivery_cancelled", user: { email: "ada@acme.test" } }
          }
        })
      })
    })
  })
