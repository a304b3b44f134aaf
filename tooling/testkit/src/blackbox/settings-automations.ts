import { beforeEach, describe, expect, test } from "vitest"
import { uuid } from "../support/acme.ts"
import type { Emulator, World } from "../support/emulator.ts"
import { after, headerOf, hmac, hooked, scheduleMs, start } from "../support/hooks.ts"
import { type Json, type Settings, signIn } from "../support/settings.ts"
import type { Delivery } from "../support/shapes.ts"
import { blackbox, bodyOf, refusalV2 } from "../support/target.ts"

/** Folder automations through the settings API: settings, secrets, send-test, execution log, redelivery (W6 to W11, S3). */

interface Log {
  readonly deliveries: ReadonlyArray<Json & { readonly id: string; readonly attempts: ReadonlyArray<Json> }>
}

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: automations", () => {
    let world: World
    let settings: Settings
    const begin = async (respond: ReadonlyArray<unknown>, automation: Json = {}) => {
      world = await emulator.start(hooked(respond, automation))
      settings = await signIn(world, "ada@acme.test")
    }
    beforeEach(() => begin([500]))
    const first = async () => (await world.deliveries())[0] as Delivery
    const make = (json: Json) => settings.ask("POST", "/automations", { json: { folder_id: "f1", ...json } })

    describe("configuration", () => {
      test("URL required; POST, enabled and the default payload unless they are said; a secret of its own", async () => {
        const made = bodyOf<Json>(await make({ url: "https://crm.test/hook" }), 201)
        expect(made).toMatchObject({ folder_id: "f1", method: "POST", headers: {}, payload: null, enabled: true })
        const { secret } = await settings.get(`/automations/${made.id}/secret`)
        expect(secret).toMatch(/^whsec_/)
        expect(refusalV2(await make({}), 422)).toMatch(/url/)
      })

      test.each(["http://crm.test/hook", "ftp://crm.test", "crm.test", ""])("HTTPS only: %j is 422", async (url) => {
        expect(refusalV2(await make({ url }), 422)).toMatch(/url/)
      })

      test.each(["POST", "PUT", "PATCH", "DELETE"])("method %s", async (method) => {
        expect(bodyOf<Json>(await make({ url: "https://crm.test/", method }), 201)).toMatchObject({ method })
      })

      test("another method is 422", async () => {
        expect(refusalV2(await make({ url: "https://crm.test/", method: "GET" }), 422)).toMatch(/method/)
      })

      test.each([
        ["Host", "x"],
        ["Content-Length", "5"],
        ["X-Tapedeck-Signature", "x"],
        ["webhook-id", "x"],
        ["bad name", "x"],
        ["X-A", "a\nb"]
      ])("W8: the header %j: %j is refused", async (name, value) => {
        expect(refusalV2(await make({ url: "https://crm.test/", headers: { [name]: value } }), 422)).toMatch(/headers/)
      })

      test("W6: a template that could yield invalid JSON, or names what is unknown, is refused with line and column", async () => {
        for (const payload of ['{\n  "a": {{nope}}\n}', '{\n  "a": \n}']) {
          const error = refusalV2(await make({ url: "https://crm.test/", payload }), 422)
          expect(error).toMatch(/payload/)
          expect(error).toMatch(/line [23]/)
          expect(error).toMatch(/column \d/)
        }
      })

      test("it fires for every recording added to its folder, as soon as it is saved", async () => {
        await world.fetch("/api/v2/recordings")
        const made = bodyOf<Json>(await make({ url: (await world.sink("crm")).url }), 201)
        await world.addToFolder("f1", uuid(1))
        expect((await world.deliveries()).map(({ automation }) => automation)).toEqual(["a1", made.id])
      })

      test("an unknown folder is 422", async () => {
        expect(refusalV2(await make({ folder_id: "nope", url: "https://crm.test/" }), 422)).toMatch(/folder_id/)
      })
    })

    describe("S3: secrets and header values are masked, but for the one call that views a secret", () => {
      test("in every other answer", async () => {
        await begin([200], { secret: "very-secret-k", headers: { "X-Api-Key": "very-secret-h" } })
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        const texts = await Promise.all(
          ["/automations", "/automations/a1", "/automations/a1/deliveries", "/audit-entries"].map((path) =>
            settings.ask("GET", path).then((answer) => answer.text)
          )
        )
        texts.push((await settings.ask("PATCH", "/automations/a1", { json: { method: "PUT" } })).text)
        texts.push((await settings.ask("POST", "/automations/a1/test")).text)
        for (const text of texts) expect(text).not.toMatch(/very-secret/)
        expect(await settings.get("/automations/a1/secret")).toMatchObject({ secret: "very-secret-k" })
      })

      test("the view of a secret is in the audit log, the secret is not", async () => {
        await settings.get("/automations/a1/secret")
        const { audit_entries } = await settings.get<{ audit_entries: ReadonlyArray<Json> }>("/audit-entries")
        expect(audit_entries[0]).toMatchObject({ metadata: { target_type: "automation", target_id: "a1" } })
      })
    })

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

      test("the new secret signs the vendor's header at once; for the overlap webhook-signature has both", async () => {
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

      test("a day unless it is said; 0 stops the old one at once", async () => {
        await begin([200])
        expect(await rotate({})).toMatchObject({ previous_secrets: [{ expires_at: after(start, 86_400_000) }] })
        expect(await rotate({ secret: "last", overlap_seconds: 0 })).toMatchObject({ previous_secrets: [] })
        const { content, standard } = await signed()
        expect(standard).toEqual([`v1,${hmac("last", content, "base64")}`])
      })
    })

    describe("Test: the send-test", () => {
      const tested = async (respond: ReadonlyArray<unknown>) => {
        await begin(respond)
        return settings.act<{ result: string; delivery: Json & { attempts: ReadonlyArray<Json> } }>(
          "POST",
          "/automations/a1/test"
        )
      }

      test.each<[unknown, string, string]>([
        [200, "success", "success"],
        [{ status: 204 }, "success", "success"],
        [{ status: 404, body: "no such thing" }, "warning", "failure"],
        [{ status: 500, body: "oops" }, "warning", "failure"],
        [{ status: 302, body: "elsewhere" }, "warning", "failure"],
        [{ status: 404 }, "failed", "failure"],
        [500, "failed", "failure"],
        ["timeout", "failed", "timeout"],
        ["refused", "failed", "refused"],
        ["reset", "failed", "reset"],
        ["dns", "failed", "dns"],
        ["tls", "failed", "tls"]
      ])("W9: %j is %s", async (outcome, result, ofAttempt) => {
        const report = await tested([outcome])
        expect(report).toMatchObject({
          result,
          delivery: { test: true, attempts: [{ attempt: 1, outcome: ofAttempt }] }
        })
      })

      test("W9: it is never retried, and is in the log, marked as a test", async () => {
        const { delivery } = await tested([500])
        expect((await world.clock()).pending).toEqual([])
        expect((await world.advance({ by: "P1D" })).fired).toEqual([])
        const log = await settings.get<Log>("/automations/a1/deliveries")
        expect(log.deliveries).toMatchObject([{ id: delivery.id, test: true }])
      })

      test("it runs at the frozen instant, and reports a sink's delay at once", async () => {
        const { result, delivery } = await tested([{ status: 200, after: "PT20S" }])
        expect(result).toBe("success")
        expect(delivery.attempts).toMatchObject([{ timestamp: start, duration_ms: 20_000 }])
        expect(await world.now()).toBe(start)
        expect((await world.clock()).pending).toEqual([])
      })

      test("also where the automation is turned off", async () => {
        await begin([200], { enabled: false })
        expect(await settings.act("POST", "/automations/a1/test")).toMatchObject({ result: "success" })
      })
    })

    describe("Execution log", () => {
      test("timestamp, status code, request payload, response body, errors and retry attempts, newest first", async () => {
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
          attempts: [
            { timestamp: start, status_code: 503, request: { body }, response: { body: "busy" } },
            { timestamp: after(start, 60_000), status_code: null, error: expect.stringMatching(/\S/) },
            { timestamp: after(start, 360_000), status_code: 200 }
          ]
        })
        const [newest] = (await settings.get<Log>("/automations/a1/deliveries?state=scheduled")).deliveries
        expect(await settings.get(`/automations/a1/deliveries/${newest?.id}`)).toEqual(newest)
      })
    })

    describe("W11: turning it off, deleting it", () => {
      test.each<[string, () => Promise<unknown>]>([
        ["turned off", () => settings.act("PATCH", "/automations/a1", { enabled: false })],
        ["deleted", () => settings.remove("/automations/a1")],
        ["its folder deleted", () => settings.remove("/folders/f1")]
      ])("%s: waiting retries are cancelled, and nothing more is sent", async (_, act) => {
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        expect(await first()).toMatchObject({ state: "waiting" })
        await act()
        expect(await world.clock()).toMatchObject({ pending: [] })
        expect(await first()).toMatchObject({ state: "cancelled", next_attempt_at: null })
        expect((await world.advance({ by: "P2D" })).fired).toEqual([])
        expect(await world.addToFolder("f2", uuid(1))).toEqual([])
      })

      test("an attempt that is under way ends, and is not retried", async () => {
        await begin(["timeout"])
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 1_000 })
        await settings.act("PATCH", "/automations/a1", { enabled: false })
        await world.advance({ until: "idle" })
        expect(await first()).toMatchObject({ state: "cancelled", attempts: [{ outcome: "timeout" }] })
      })

      test("each attempt uses the configuration of its moment; the payload stays as it was", async () => {
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        bodyOf(await world.post("/sinks", { id: "other", respond: [200] }), 201)
        const { url } = await world.sink("other")
        await settings.act("PATCH", "/automations/a1", { url, method: "PUT", headers: { "X-New": "1" } })
        await world.advance({ until: "idle" })
        const [request] = (await world.sink("other")).requests
        expect(request).toMatchObject({ at: after(start, 60_000), method: "PUT" })
        expect(headerOf(request?.headers ?? {}, "x-new")).toBe("1")
        expect(request?.body).toBe((await world.sink("crm")).requests[0]?.body)
      })
    })

    describe("redelivery", () => {
      test("the same payload once more, under an id and on a schedule of its own", async () => {
        const [id] = await world.addToFolder("f1", uuid(1))
        await world.advance({ until: "idle" })
        const { now } = await world.clock()
        const again = await settings.make(`/automations/a1/deliveries/${id}/redeliver`)
        expect(again).toMatchObject({ redelivery_of: id, state: "scheduled", next_attempt_at: now })
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map((event) => [event.id, event.elapsed_ms])).toEqual(scheduleMs.map((ms) => [again.id, ms]))
        expect(new Set((await world.sink("crm")).requests.map(({ body }) => body)).size).toBe(1)
      })

      test("of one that still has attempts to come: the new one takes its place", async () => {
        const [id] = await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        const again = await settings.make(`/automations/a1/deliveries/${id}/redeliver`)
        expect((await world.deliveries()).map((each) => [each.id, each.state])).toEqual([
          [id, "cancelled"],
          [again.id, "scheduled"]
        ])
      })

      test("404: an unknown delivery, and one of another automation", async () => {
        const [id] = await world.addToFolder("f1", uuid(1))
        refusalV2(await settings.ask("POST", "/automations/a1/deliveries/nope/redeliver"), 404)
        const { id: other } = bodyOf<Json>(await make({ url: "https://crm.test/" }), 201)
        refusalV2(await settings.ask("POST", `/automations/${other}/deliveries/${id}/redeliver`), 404)
      })
    })
  })
