import { afterEach, describe, expect, test } from "vitest"
import { acme, bob, uuid } from "../../support/acme.ts"
import { auditedBy, retitle } from "../../support/audited.ts"
import type { Emulator } from "../../support/emulator.ts"
import { instantAfter, minuteMs, start } from "../../support/hooks.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import { blackbox } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Audit-log webhooks: when each is tried, and to which destinations it goes (A2, A6). */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Audit-log destinations", () => {
    afterEach(closeReceivers)
    const audited = auditedBy(emulator)

    describe("A2: retries", () => {
      const minutesOfAll = [0, 1, 6, 21, 51, 111, 231, 351, 471, 591, 711]

      test.each<[number | undefined, ReadonlyArray<number>]>([
        [undefined, minutesOfAll.slice(0, 7)],
        ...minutesOfAll.map((_, retries): [number, ReadonlyArray<number>] => [
          retries,
          minutesOfAll.slice(0, retries + 1)
        ])
      ])("max_retries %s makes attempts at %j minutes", async (max_retries, minutes) => {
        const world = await audited(max_retries === undefined ? {} : { max_retries }, [500])
        await retitle(world)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual(minutes.map((minute) => minute * minuteMs))
        expect(await world.deliveries()).toMatchObject([{ state: "permanently_failed", next_attempt_at: null }])
      })

      test("each destination has its own timeout", async () => {
        const world = await audited({ timeout_seconds: 5 }, ["timeout", 200])
        await retitle(world)
        const { next } = await world.advance({ by: 0 })
        expect(next).toMatchObject({ kind: "attempt_end", at: instantAfter(start, 5_000) })
        await world.advance({ until: "idle" })
        const [delivery] = await world.deliveries()
        expect(delivery?.attempts).toMatchObject([
          { outcome: "timeout", duration_ms: 5_000 },
          { outcome: "success", elapsed_ms: minuteMs }
        ])
      })

      test.each([
        [1, 1_000],
        [30, 30_000],
        [300, 300_000]
      ])(
        "timeout_seconds %i: an answer at the last millisecond counts, and one after it is a timeout",
        async (timeout_seconds, ms) => {
          const respond = [
            { status: 200, after: ms + 1 },
            { status: 200, after: ms - 1 }
          ]
          const world = await audited({ timeout_seconds }, respond)
          await retitle(world)
          await world.advance({ until: "idle" })
          const [delivery] = await world.deliveries()
          expect(delivery?.attempts).toMatchObject([
            { outcome: "timeout", duration_ms: ms },
            { outcome: "success", duration_ms: ms - 1 }
          ])
        }
      )

      test("each destination keeps its own schedule", async () => {
        const world = await emulator.start(
          acme({
            recordings: [{ uuid: uuid(1), user: "bob@acme.test" }],
            sinks: [
              { id: "siem", respond: [500] },
              { id: "slow", respond: ["timeout"] }
            ],
            audit_destinations: [
              { id: "d1", name: "One", url: "sink:siem", max_retries: 2 },
              { id: "d2", name: "None", url: "sink:siem", max_retries: 0 },
              { id: "d3", name: "Slow", url: "sink:slow", max_retries: 1, timeout_seconds: 120 }
            ]
          })
        )
        await retitle(world)
        await world.advance({ until: "idle" })
        const seen = (await world.deliveries()).map(({ destination, attempts, state }) => [
          destination,
          state,
          attempts.map(({ elapsed_ms, duration_ms }) => [elapsed_ms, duration_ms])
        ])
        expect(seen).toEqual([
          [
            "d1",
            "permanently_failed",
            [
              [0, 0],
              [minuteMs, 0],
              [6 * minuteMs, 0]
            ]
          ],
          ["d2", "permanently_failed", [[0, 0]]],
          [
            "d3",
            "permanently_failed",
            [
              [0, 2 * minuteMs],
              [2 * minuteMs, 2 * minuteMs]
            ]
          ]
        ])
      })

      test("W3, W5: Retry-After and 410 do not change the schedule, and a redirect is a failure", async () => {
        const respond = [
          { status: 429, headers: { "retry-after": "7200" } },
          { status: 410 },
          { status: 302, headers: { location: "https://siem.test/" } },
          200
        ]
        const world = await audited({}, respond)
        await retitle(world)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms, status_code }) => [elapsed_ms, status_code])).toEqual([
          [0, 429],
          [minuteMs, 410],
          [6 * minuteMs, 302],
          [21 * minuteMs, 200]
        ])
      })

      test("a real receiver that never answers is retried by the same schedule", async () => {
        const real = await receiver(() => "silence")
        const world = await audited({ url: real.url, timeout_seconds: 7 }, [200], { real_timeout_ms: 100 })
        await retitle(world)
        const { next } = await world.advance({ by: 0 })
        expect(next).toMatchObject({ kind: "attempt_end", at: instantAfter(start, 7_000) })
        expect(real.received).toHaveLength(1)
      })

      test("W3: a retry is never due before the previous attempt has ended", async () => {
        const world = await audited({ timeout_seconds: 300, max_retries: 2 }, ["timeout"])
        await retitle(world)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual([0, 5, 10].map((minute) => minute * minuteMs))
      })
    })

    describe("A6: filters", () => {
      test("each of two destinations applies its own filters", async () => {
        const world = await emulator.start(
          acme({
            recordings: [{ uuid: uuid(1), user: "bob@acme.test" }],
            sinks: [{ id: "siem", respond: [200] }],
            audit_destinations: [
              { id: "d1", name: "Refusals", url: "sink:siem", filters: { event_types: ["access.denied"] } },
              { id: "d2", name: "Low", url: "sink:siem", filters: { severities: ["low"] } },
              { id: "d3", name: "All", url: "sink:siem" }
            ]
          })
        )
        await retitle(world)
        await world.fetch("/api/v2/users", { token: bob })
        expect((await world.deliveries()).map(({ destination }) => destination)).toEqual(["d2", "d3", "d1", "d3"])
      })
    })
  })
