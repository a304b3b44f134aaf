import { beforeEach, describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { headerOf, hmac, hooked, instantAfter, scheduleMs, start } from "../../support/hooks.ts"
import { type Json, type Settings, signIn } from "../../support/settings.ts"
import type { Delivery } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Folder automations through the settings API over time: where the clock can be moved, and sinks answer as they are told. */

interface Log {
  readonly deliveries: ReadonlyArray<Json & { readonly id: string; readonly attempts: ReadonlyArray<Json> }>
}

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: automations over time", () => {
    let world: World
    let settings: Settings
    const begin = async (respond: ReadonlyArray<unknown>, automation: Json = {}) => {
      world = await emulator.start(hooked(respond, automation))
      settings = await signIn(world, "ada@acme.test")
    }
    beforeEach(() => begin([500]))
    const first = async () => (await world.deliveries())[0] as Delivery

    describe("secret rotation, with overlap", () => {
      /** The signatures of an attempt at this moment, and what was signed. */
      const signed = async () => {
        await world.addToFolder("f1", uuid(1))
        await world.addToFolder("f2", uuid(1))
        await world.advance({ by: 0 })
        const { headers, body } = (await world.sink("crm")).requests.at(-1) ?? { headers: {}, body: "" }
        const content = `${headerOf(headers, "webhook-id")}.${headerOf(headers, "webhook-timestamp")}.${body}`
        return {
          body,
          content,
          vendor: headerOf(headers, "x-tapedeck-signature"),
          standard: (headerOf(headers, "webhook-signature") ?? "").split(" ")
        }
      }
      const rotate = (json: Json) => settings.act("POST", "/automations/a1/secret/rotate", json)

      test("the new secret signs the vendor's header at once; during the overlap webhook-signature has both", async () => {
        await begin([200])
        await rotate({ secret: "new", overlap_seconds: 3_600 })
        for (const [move, secrets] of [
          [0, ["new", "k"]],
          ["PT59M59S", ["new", "k"]],
          ["PT1S", ["new"]]
        ] as const) {
          await world.advance({ by: move })
          const { body, content, standard, vendor } = await signed()
          expect(vendor).toBe(`sha256=${hmac("new", body, "hex")}`)
          expect(standard).toEqual(secrets.map((secret) => `v1,${hmac(secret, content, "base64")}`))
        }
      })

      test("the overlap is a day by default, and 0 ends the old secret at once", async () => {
        await begin([200])
        expect(await rotate({})).toMatchObject({ previous_secrets: [{ expires_at: instantAfter(start, 86_400_000) }] })
        expect(await rotate({ secret: "last", overlap_seconds: 0 })).toMatchObject({ previous_secrets: [] })
        const { content, standard } = await signed()
        expect(standard).toEqual([`v1,${hmac("last", content, "base64")}`])
      })
    })

    describe("W9: the send-test on a clock", () => {
      const tested = async (respond: ReadonlyArray<unknown>) => {
        await begin(respond)
        return settings.act<{ result: string; delivery: Json & { attempts: ReadonlyArray<Json> } }>(
          "POST",
          "/automations/a1/test"
        )
      }

      test.each<[unknown, string, string]>([
        [200, "success", "success"],
        [{ status: 404, body: "no such thing" }, "warning", "failure"],
        [500, "failed", "failure"],
        ["timeout", "failed", "timeout"]
      ])("a sink with %j gives %s", async (outcome, result, ofAttempt) => {
        const report = await tested([outcome])
        expect(report).toMatchObject({
          result,
          delivery: { test: true, attempts: [{ attempt: 1, outcome: ofAttempt }] }
        })
      })

      test("it is never retried, and is logged with a mark as a test", async () => {
        const { delivery } = await tested([500])
        expect((await world.clock()).pending).toEqual([])
        expect((await world.advance({ by: "P1D" })).fired).toEqual([])
        const log = await settings.get<Log>("/automations/a1/deliveries")
        expect(log.deliveries).toMatchObject([{ id: delivery.id, test: true }])
      })

      test("it runs at the frozen instant, and returns a sink's delay at once", async () => {
        const { result, delivery } = await tested([{ status: 200, after: "PT20S" }])
        expect(result).toBe("success")
        expect(delivery.attempts).toMatchObject([{ timestamp: start, duration_ms: 20_000 }])
        expect(await world.now()).toBe(start)
        expect((await world.clock()).pending).toEqual([])
      })
    })

    describe("Execution log", () => {
      test("an entry has timestamp, status code, request payload, response body, errors and retry attempts, newest first", async () => {
        await begin([{ status: 503, body: "busy" }, "reset", 200])
        await world.addToFolder("f1", uuid(1))
        await world.advance({ until: "idle" })
        await world.addToFolder("f1", uuid(2))
        const { deliveries } = await settings.get<Log>("/automations/a1/deliveries")
        expect(deliveries.map(({ recording_uuid }) => recording_uuid)).toEqual([uuid(2), uuid(1)])
        const { body } = (await world.sink("crm")).requests[0] ?? {}
        expect(deliveries[1]).toMatchObject({
          event: "recording.added_to_folder",
          state: "delivered",
          body,
          attempts: [
            { timestamp: start, status_code: 503, request: { method: "POST" }, response: { body: "busy" } },
            { timestamp: instantAfter(start, 60_000), status_code: null, error: expect.stringMatching(/\S/) },
            { timestamp: instantAfter(start, 360_000), status_code: 200 }
          ]
        })
        const [newest] = (await settings.get<Log>("/automations/a1/deliveries?state=scheduled")).deliveries
        expect(await settings.get(`/automations/a1/deliveries/${newest?.id}`)).toEqual(newest)
      })
    })

    describe("W11: turning off and deleting", () => {
      test.each<[string, () => Promise<unknown>]>([
        ["turned off", () => settings.act("PATCH", "/automations/a1", { enabled: false })],
        ["deleted", () => settings.remove("/automations/a1")],
        ["its folder deleted", () => settings.remove("/folders/f1")]
      ])("%s cancels waiting retries, and nothing more is sent", async (_, act) => {
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        expect(await first()).toMatchObject({ state: "waiting" })
        await act()
        expect(await world.clock()).toMatchObject({ pending: [] })
        expect(await first()).toMatchObject({ state: "cancelled", next_attempt_at: null })
        expect((await world.advance({ by: "P2D" })).fired).toEqual([])
        expect(await world.addToFolder("f2", uuid(1))).toEqual([])
      })

      test("each attempt uses the present configuration and the original payload", async () => {
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        bodyOf(await world.post("/sinks", { id: "other", respond: [200] }), 201)
        const { url } = await world.sink("other")
        await settings.act("PATCH", "/automations/a1", { url, method: "PUT", headers: { "X-New": "1" } })
        await world.advance({ until: "idle" })
        const [request] = (await world.sink("other")).requests
        expect(request).toMatchObject({ at: instantAfter(start, 60_000), method: "PUT" })
        expect(headerOf(request?.headers ?? {}, "x-new")).toBe("1")
        expect(request?.body).toBe((await world.sink("crm")).requests[0]?.body)
      })
    })

    describe("redelivery", () => {
      test("it sends the same payload again, under its own id and schedule", async () => {
        const [id] = await world.addToFolder("f1", uuid(1))
        await world.advance({ until: "idle" })
        const { now } = await world.clock()
        const again = await settings.make(`/automations/a1/deliveries/${id}/redeliver`)
        expect(again).toMatchObject({ redelivery_of: id, state: "scheduled", next_attempt_at: now })
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map((event) => [event.id, event.elapsed_ms])).toEqual(scheduleMs.map((ms) => [again.id, ms]))
        expect(new Set((await world.sink("crm")).requests.map(({ body }) => body)).size).toBe(1)
      })
    })
  })
