import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { hmac } from "../../support/hooks.ts"
import { type Behaviour, closeReceivers } from "../../support/receiver.ts"
import type { Json, Settings } from "../../support/settings.ts"
import { blackbox, bodyOf, refusalV2, type Target } from "../../support/target.ts"
import { type LoggedDelivery, nowhere, Workbench } from "../../support/workbench.ts"
import { onStores } from "../targets.ts"

/** Folder automations through the settings API: settings, secrets, send-test, execution log, redelivery (W6 to W11, S3). */

interface Log {
  readonly deliveries: ReadonlyArray<Json & { readonly id: string; readonly attempts: ReadonlyArray<Json> }>
}

interface SendTest {
  readonly result: string
  readonly delivery: LoggedDelivery
}

export const targets = onStores

/** On every target: what needs no clock to be moved. */
export const suite = (target: Target): void =>
  blackbox(target, "Settings API: automations", () => {
    let bench: Workbench
    let settings: Settings
    let folder_id: string
    beforeAll(async () => {
      bench = await Workbench.of(target)
      settings = bench.settings
      folder_id = await bench.folder("VIP")
    }, 60_000)
    afterEach(closeReceivers)
    const make = (json: Json) => settings.ask("POST", "/automations", { json: { folder_id, ...json } })

    describe("configuration", () => {
      test("the URL is required; POST, enabled, the default payload and a generated secret are defaults", async () => {
        const made = bodyOf<Json>(await make({ url: "https://crm.test/hook" }), 201)
        expect(made).toMatchObject({ folder_id, method: "POST", headers: {}, payload: null, enabled: true })
        const { secret } = await settings.get(`/automations/${made.id}/secret`)
        expect(secret).toMatch(/^whsec_/)
        expect(refusalV2(await make({}), 422)).toMatch(/url/)
      })

      test.each(["http://crm.test/hook", "ftp://crm.test", "crm.test", ""])(
        "only HTTPS is accepted: %j is 422",
        async (url) => {
          expect(refusalV2(await make({ url }), 422)).toMatch(/url/)
        }
      )

      test.each(["POST", "PUT", "PATCH", "DELETE"])("the method %s is accepted", async (method) => {
        expect(bodyOf<Json>(await make({ url: "https://crm.test/", method }), 201)).toMatchObject({ method })
      })

      test("another method is 422", async () => {
        expect(refusalV2(await make({ url: "https://crm.test/", method: "GET" }), 422)).toMatch(/method/)
      })

      test.each([
        ["Host", "x"],
        ["Content-Length", "5"],
        ["TE", "trailers"],
        ["Trailer", "X-A"],
        ["keep-alive", "timeout=5"],
        ["Proxy-Connection", "close"],
        ["Content-Encoding", "gzip"],
        ["X-Tapedeck-Signature", "x"],
        ["webhook-id", "x"],
        ["bad name", "x"],
        ["X-A", "a\nb"]
      ])("W8: the header %j: %j is refused", async (name, value) => {
        expect(refusalV2(await make({ url: "https://crm.test/", headers: { [name]: value } }), 422)).toMatch(/headers/)
      })

      test("W6: a template that could yield invalid JSON, or has an unknown variable, is refused with line and column", async () => {
        for (const payload of ['{\n  "a": {{nope}}\n}', '{\n  "a": \n}']) {
          const error = refusalV2(await make({ url: "https://crm.test/", payload }), 422)
          expect(error).toMatch(/payload/)
          expect(error).toMatch(/line [23]/)
          expect(error).toMatch(/column \d/)
        }
      })

      test("an automation fires for every recording added to its folder, as soon as it is saved", async () => {
        const first = await bench.automation({ url: nowhere })
        const second = await bench.automation({ url: nowhere, folder_id: first.folder_id })
        const recording = await bench.fire(first)
        for (const { id } of [first, second]) {
          expect(await bench.log(`/automations/${id}`)).toMatchObject([{ recording_uuid: recording }])
        }
      })

      test("an unknown folder is 422", async () => {
        expect(refusalV2(await make({ folder_id: "nope", url: "https://crm.test/" }), 422)).toMatch(/folder_id/)
      })
    })

    describe("S3: secrets and header values are masked", () => {
      test("every answer masks them, except the one that views a secret", async () => {
        const url = await bench.urlOf({ status: 200 })
        const made = await bench.automation({ url, secret: "very-secret-k", headers: { "X-Api-Key": "very-secret-h" } })
        const own = `/automations/${made.id}`
        await bench.delivered(made)
        const texts = await Promise.all(
          ["/automations", own, `${own}/deliveries`, "/audit-entries"].map((path) =>
            settings.ask("GET", path).then((answer) => answer.text)
          )
        )
        texts.push((await settings.ask("PATCH", own, { json: { method: "PUT" } })).text)
        texts.push((await settings.ask("POST", `${own}/test`)).text)
        for (const text of texts) expect(text).not.toMatch(/very-secret/)
        expect(await settings.get(`${own}/secret`)).toMatchObject({ secret: "very-secret-k" })
      })

      test("the audit log has an entry for the view of a secret, without the secret", async () => {
        const { id } = await bench.automation({ url: nowhere, secret: "very-secret-k" })
        await settings.get(`/automations/${id}/secret`)
        const [entry] = await bench.entries()
        expect(entry).toMatchObject({ metadata: { target_type: "automation", target_id: id } })
        expect(JSON.stringify(entry)).not.toMatch(/very-secret/)
      })
    })

    describe("secret rotation", () => {
      test("the new secret signs the vendor's header at once; during the overlap webhook-signature has both", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const made = await bench.automation({ url: real.url, secret: "k" })
        const rotate = (json: Json) =>
          settings.act<{ previous_secrets: ReadonlyArray<Json> }>("POST", `/automations/${made.id}/secret/rotate`, json)
        for (const [rotation, secrets] of [
          [{ secret: "new", overlap_seconds: 3_600 }, ["new", "k"]],
          [{ secret: "last", overlap_seconds: 0 }, ["last"]]
        ] as const) {
          expect((await rotate(rotation)).previous_secrets).toHaveLength(secrets.length - 1)
          await bench.fire(made)
          await bench.settled(`/automations/${made.id}`)
          const { body, headers } = real.received.at(-1)!
          const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
          expect(headers["x-tapedeck-signature"]).toBe(`sha256=${hmac(secrets[0], body, "hex")}`)
          const standard = secrets.map((secret) => `v1,${hmac(secret, content, "base64")}`)
          expect(headers["webhook-signature"]).toBe(standard.join(" "))
        }
        expect((await rotate({})).previous_secrets).toEqual([{ expires_at: expect.any(String) }])
      })
    })

    describe("W9: the send-test of an automation", () => {
      const tested = async (outcome: Behaviour | "refused" | "dns" | "tls", automation: Json = {}) => {
        const made = await bench.automation({ url: await bench.urlOf(outcome), ...automation })
        return { made, ...(await settings.act<SendTest>("POST", `/automations/${made.id}/test`)) }
      }

      test.each<[Behaviour | "refused" | "dns" | "tls", string, string]>([
        [{ status: 200 }, "success", "success"],
        [{ status: 204 }, "success", "success"],
        [{ status: 200, body: "thanks" }, "success", "success"],
        [{ status: 404, body: "no such thing" }, "warning", "failure"],
        [{ status: 500, body: "oops" }, "warning", "failure"],
        [{ status: 302, body: "elsewhere" }, "warning", "failure"],
        [{ status: 404 }, "failed", "failure"],
        [{ status: 500 }, "failed", "failure"],
        ["refused", "failed", "refused"],
        ["reset", "failed", "reset"],
        ["dns", "failed", "dns"],
        ["tls", "failed", "tls"]
      ])("a real receiver with %j gives %s", async (outcome, result, ofAttempt) => {
        const report = await tested(outcome)
        expect(report).toMatchObject({
          result,
          delivery: { test: true, attempts: [{ attempt: 1, outcome: ofAttempt }] }
        })
      })

      test.each<[Behaviour, string]>([
        [{ status: 200 }, "delivered"],
        [{ status: 500, body: "oops" }, "permanently_failed"],
        ["reset", "permanently_failed"]
      ])("%j is sent once, waits for no retry, and is logged with a mark as a test", async (outcome, state) => {
        const { delivery, made } = await tested(outcome)
        expect(delivery).toMatchObject({ test: true, state, next_attempt_at: null })
        expect(await bench.settled(`/automations/${made.id}`)).toEqual([{ ...delivery, recording: null }])
        const redeliver = `/automations/${made.id}/deliveries/${delivery.id}/redeliver`
        refusalV2(await settings.ask("POST", redeliver), 409)
      })

      test("a disabled automation can be tested too", async () => {
        expect(await tested({ status: 200 }, { enabled: false })).toMatchObject({ result: "success" })
      })
    })

    describe("T3, T4: a URL with variables and a condition", () => {
      test("send to the rendered URL, and skip a recording without the value or the ticket, which is no failure", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const made = await bench.automation({ url: `${real.url}/t/{{recording.id}}?by={{recording.title}}` })
        const uuid = await bench.fire(made)
        const [sent] = await bench.settled(`/automations/${made.id}`)
        expect(sent).toMatchObject({ state: "delivered", skipped: null })
        expect(JSON.stringify(sent?.attempts)).toContain(`${real.url}/t/${uuid}?by=`)
        for (const [change, skipped] of [
          [
            { url: `${real.url}/{{recording.ticket_id}}` },
            { reason: "variable_missing", variables: ["recording.ticket_id"] }
          ],
          [
            { url: real.url, only: { has_ticket: true } },
            { reason: "no_ticket", variables: [] }
          ]
        ] as const) {
          bodyOf(await settings.ask("PATCH", `/automations/${made.id}`, { json: change }))
          await bench.fire(made)
          const [newest] = await bench.settled(`/automations/${made.id}`)
          expect(newest).toMatchObject({ state: "skipped", skipped, attempts: [], next_attempt_at: null, error: null })
        }
        const found = await settings.ask("GET", `/deliveries?state=skipped&automation_id=${made.id}`)
        expect(bodyOf<{ deliveries: ReadonlyArray<unknown> }>(found).deliveries).toHaveLength(2)
        expect(bodyOf(await settings.ask("GET", `/automations/${made.id}`))).toMatchObject({
          only: { platforms: [], types: [], has_ticket: true },
          health: { failed_in_a_row: 0 }
        })
        expect(real.received).toHaveLength(1)
      })
    })

    describe("Execution log", () => {
      test("an entry has timestamp, status code, request payload, response body and errors, newest first, and can be read by its id", async () => {
        const real = await bench.receiver((_, nth) => (nth === 0 ? { status: 503, body: "busy" } : "reset"))
        const made = await bench.automation({ url: real.url })
        const own = `/automations/${made.id}`
        const first = await bench.fire(made)
        await bench.settled(own)
        const second = await bench.fire(made)
        const deliveries = await bench.settled(own)
        expect(deliveries.map(({ recording_uuid }) => recording_uuid)).toEqual([second, first])
        expect(deliveries[1]).toMatchObject({
          event: "recording.added_to_folder",
          state: "waiting",
          body: real.received[0]?.body.toString(),
          body_truncated: false,
          attempts: [
            {
              timestamp: expect.stringMatching(/Z$/),
              status_code: 503,
              request: { method: "POST", url: real.url },
              response: { body: "busy", truncated: false },
              error: null
            }
          ]
        })
        expect(deliveries[0]?.attempts).toMatchObject([{ status_code: null, error: expect.stringMatching(/\S/) }])
        const waiting = await settings.get<Log>(`${own}/deliveries?state=waiting`)
        expect(waiting.deliveries).toEqual(deliveries)
        expect(await settings.get(`${own}/deliveries/${deliveries[0]?.id}`)).toEqual(deliveries[0])
      })
    })

    describe("W11: turning off and deleting", () => {
      test("disabling an automation cancels waiting retries, and nothing more is sent", async () => {
        const real = await bench.receiver(() => ({ status: 500 }))
        const made = await bench.automation({ url: real.url })
        const own = `/automations/${made.id}`
        expect(await bench.delivered(made)).toMatchObject({ state: "waiting" })
        await settings.act("PATCH", own, { enabled: false })
        expect(await bench.log(own)).toMatchObject([{ state: "cancelled", next_attempt_at: null }])
        await bench.fire(made)
        expect(await bench.settled(own)).toHaveLength(1)
        expect(real.received).toHaveLength(1)
      })

      test("an attempt in flight ends, and is not retried", async () => {
        let release: (reply: Behaviour) => void = () => {}
        const held = new Promise<Behaviour>((resolve) => {
          release = resolve
        })
        const real = await bench.receiver(() => held)
        const made = await bench.automation({ url: real.url })
        const own = `/automations/${made.id}`
        await bench.fire(made)
        const settled = bench.settled(own)
        await expect.poll(() => real.received.length, { timeout: 30_000, interval: 20 }).toBe(1)
        await settings.act("PATCH", own, { enabled: false })
        release({ status: 500 })
        expect(await settled).toMatchObject([{ state: "cancelled", attempts: [{ status_code: 500 }] }])
      })
    })

    describe("redelivery", () => {
      test("it sends the same payload again, under its own id", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const made = await bench.automation({ url: real.url })
        const own = `/automations/${made.id}`
        const { id } = await bench.delivered(made)
        const again = await settings.make(`${own}/deliveries/${id}/redeliver`)
        expect(again).toMatchObject({ redelivery_of: id, attempts: [] })
        const deliveries = await bench.settled(own)
        expect(deliveries.map((each) => [each.id, each.state])).toEqual([
          [again.id, "delivered"],
          [id, "delivered"]
        ])
        expect(new Set(real.received.map(({ body }) => body.toString())).size).toBe(1)
        expect(real.received.map(({ headers }) => headers["webhook-id"])).toEqual([id, again.id])
      })

      test("it replaces a delivery that still has attempts left", async () => {
        const made = await bench.automation({ url: await bench.urlOf({ status: 500 }) })
        const own = `/automations/${made.id}`
        const { id } = await bench.delivered(made)
        const again = await settings.make(`${own}/deliveries/${id}/redeliver`)
        expect((await bench.settled(own)).map((each) => [each.id, each.state])).toEqual([
          [again.id, "waiting"],
          [id, "cancelled"]
        ])
      })

      test("an unknown delivery, and one of another automation, is 404", async () => {
        const made = await bench.automation({ url: await bench.urlOf({ status: 200 }) })
        const { id } = await bench.delivered(made)
        refusalV2(await settings.ask("POST", `/automations/${made.id}/deliveries/nope/redeliver`), 404)
        const other = await bench.automation({ url: nowhere })
        refusalV2(await settings.ask("POST", `/automations/${other.id}/deliveries/${id}/redeliver`), 404)
      })
    })
  })
