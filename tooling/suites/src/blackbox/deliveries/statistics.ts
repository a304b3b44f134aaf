import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import { type Settings, signIn } from "../../support/settings.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** Counters of attempts, and the health of receivers. On every target. */

interface Counts {
  readonly delivered: number
  readonly retried: number
  readonly permanently_failed: number
  readonly duration_p50_ms: number | null
}

interface Statistics {
  readonly since: string
  readonly until: string
  readonly intervals: ReadonlyArray<Counts & { readonly at: string }>
  readonly receivers: ReadonlyArray<Counts & { readonly automation_id: string | null }>
}

interface Health {
  readonly health: {
    readonly last_success_at: string | null
    readonly failing_since: string | null
    readonly failed_in_a_row: number
  }
}

/** No policy lets it through: nothing is sent, wherever the tests run. */
const nowhere = "https://10.1.2.3/hook"

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: statistics", () => {
    let running: Running
    let automation: string
    const ask = (method: string, path: string, json?: unknown, token = ada) =>
      running.fetch(`/api/settings${path}`, { method, token, json })
    const get = async <T>(path: string) => bodyOf<T>(await ask("GET", path))
    const make = async (path: string, json: unknown) => bodyOf<{ id: string }>(await ask("POST", path, json), 201)

    beforeAll(async () => {
      running = await target.start(acme({ recordings: [{ uuid: uuid(1), title: "Put in place" }] }))
      const folder = (await make("/folders", { name: "New" })).id
      automation = (await make("/automations", { folder_id: folder, url: nowhere })).id
      bodyOf(await ask("PUT", `/recordings/${uuid(1)}/folder`, { folder_id: folder }))
      if (running.controlUrl !== null) {
        await running.fetch("/_emulator/clock/advance", { method: "POST", json: { by: "PT1S" } })
      }
    }, 60_000)

    test("an attempt is counted at its end, and its receiver is failing from then on", async () => {
      const counted = () => get<Statistics>(`/statistics?automation_id=${automation}`)
      const expected = { receivers: [{ automation_id: automation, retried: 1, delivered: 0 }] }
      await expect.poll(counted, { timeout: 30_000, interval: 20 }).toMatchObject(expected)
      const { intervals } = await counted()
      expect(intervals.reduce((sum, { retried }) => sum + retried, 0)).toBe(1)
      const { health } = await get<Health>(`/automations/${automation}`)
      expect(health).toEqual({ last_success_at: null, failing_since: expect.any(String), failed_in_a_row: 1 })
      const { automations } = await get<{ automations: ReadonlyArray<Health & { id: string }> }>("/automations")
      expect(automations.find(({ id }) => id === automation)?.health).toEqual(health)
    })

    test.each([
      ["interval=minute", /interval must be one of hour, day/],
      ["since=x", /since must be an ISO 8601/],
      ["since=2026-01-02T00:00:00.000Z&until=2026-01-01T00:00:00.000Z", /until must be after since/],
      ["since=2026-01-01T00:00:00.000Z&until=2026-02-02T01:00:00.001Z", /at most 31 days apart by hour/],
      ["interval=day&since=2026-01-01T00:00:00.000Z&until=2026-04-03T00:00:00.001Z", /at most 90 days apart by day/],
      ["automation_id=a&audit_destination_id=b", /does not go together/],
      ["page=1", /page is not a query parameter here/]
    ])("?%s is 400 and named", async (query, message) => {
      expect(refusalV2(await ask("GET", `/statistics?${query}`), 400)).toMatch(message)
    })

    test("the longest periods are answered, with every interval", async () => {
      const hours = await get<Statistics>("/statistics?since=2026-01-01T00:00:00.000Z&until=2026-02-01T00:00:00.000Z")
      expect(hours.intervals).toHaveLength(31 * 24)
      const days = await get<Statistics>(
        "/statistics?interval=day&since=2026-01-01T00:00:00.000Z&until=2026-04-01T00:00:00.000Z"
      )
      expect(days.intervals).toHaveLength(90)
    })

    test("members get 403, and other accounts see nothing", async () => {
      refusalV2(await ask("GET", "/statistics", undefined, bob), 403)
      expect(bodyOf<Statistics>(await ask("GET", "/statistics", undefined, otto)).receivers).toEqual([])
    })
  })

/** Where the clock can be moved. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: statistics over time", () => {
    describe("attempts over hours", () => {
      let world: World
      let settings: Settings
      beforeAll(async () => {
        world = await emulator.start(hooked([500, 500, 500, 500, 200]))
        settings = await signIn(world, "ada@acme.test")
        await world.addToFolder("f1", uuid(1))
      })

      test("are counted in the hour in which each ended", async () => {
        await world.advance({ by: "PT14H" })
        const { intervals } = await settings.get<Statistics>(`/statistics?since=${instantAfter(start, 0)}`)
        expect(intervals).toHaveLength(14)
        expect(intervals[0]).toMatchObject({ at: instantAfter(start, 0), retried: 4, delivered: 0 })
        expect(intervals[2]).toMatchObject({ at: instantAfter(start, 2 * 3_600_000), delivered: 1, retried: 0 })
        const rest = intervals.slice(3).map(({ delivered, duration_p50_ms: p50 }) => [delivered, p50])
        expect(rest).toEqual(Array(11).fill([0, null]))
        const days = await settings.get<Statistics>(`/statistics?interval=day&since=${instantAfter(start, 0)}`)
        expect(days.intervals).toMatchObject([{ retried: 4, delivered: 1 }])
      })

      test("end the failures of a receiver with a success, and do not include send-tests", async () => {
        const read = async () => (await settings.get<Health>("/automations/a1")).health
        const { last_success_at: at } = await read()
        expect(await read()).toEqual({ last_success_at: at, failing_since: null, failed_in_a_row: 0 })
        await settings.act("POST", "/automations/a1/test")
        expect(await read()).toEqual({ last_success_at: at, failing_since: null, failed_in_a_row: 0 })
      })

      test("are part of snapshots", async () => {
        const before = await settings.get<Statistics>(`/statistics?since=${instantAfter(start, 0)}`)
        const snapshot = await world.snapshot()
        bodyOf(await world.control("/snapshot", { method: "PUT", json: snapshot.as() }))
        expect(await settings.get<Statistics>(`/statistics?since=${instantAfter(start, 0)}`)).toEqual(before)
      })
    })
  })
