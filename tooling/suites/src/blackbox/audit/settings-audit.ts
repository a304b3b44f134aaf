import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { hmac } from "../../support/hooks.ts"
import { closeReceivers } from "../../support/receiver.ts"
import type { Json, Settings } from "../../support/settings.ts"
import { blackbox, bodyOf, refusalV2, type Target } from "../../support/target.ts"
import { type LoggedDelivery, nowhere, Workbench } from "../../support/workbench.ts"
import { onStores } from "../targets.ts"

/** Audit destinations and audit entries through the settings API (A1 to A7, S3). */

interface Entry {
  readonly id: number
  readonly event_type: string
  readonly category: string
  readonly severity: string
  readonly status: string
  readonly timestamp: string
  readonly user: Json | null
  readonly metadata: { readonly target_type: string; readonly target_id: string; readonly changes: Json }
}

const categories = ["authentication", "authorization", "data_access", "data_changes", "admin_actions", "security"]

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: audit log", () => {
    let bench: Workbench
    let settings: Settings
    beforeAll(async () => {
      bench = await Workbench.of(target)
      settings = bench.settings
    }, 60_000)
    afterEach(closeReceivers)
    const entries = (query = "") => bench.entries<Entry>(query)
    const types = async (query = "") => (await entries(query)).map(({ event_type }) => event_type)

    describe("destinations", () => {
      const make = (json: Json) =>
        settings.ask("POST", "/audit-destinations", { json: { name: "New", url: "https://siem.test/", ...json } })

      test("A2: have 30 s, 6 retries, no secret and no filters by default", async () => {
        expect(bodyOf<Json>(await make({}), 201)).toMatchObject({
          name: "New",
          description: null,
          timeout_seconds: 30,
          max_retries: 6,
          secret: null,
          enabled: true,
          filters: { categories: [], event_types: [], severities: [] }
        })
      })

      test.each([
        ["name", { name: " " }],
        ["url", { url: "http://siem.test/" }],
        ["timeout_seconds", { timeout_seconds: 0 }],
        ["timeout_seconds", { timeout_seconds: 301 }],
        ["timeout_seconds", { timeout_seconds: 1.5 }],
        ["max_retries", { max_retries: -1 }],
        ["max_retries", { max_retries: 11 }],
        ["signature", { signature: "md5" }],
        ["filters", { filters: { severities: ["huge"] } }],
        ["filters", { filters: { categories: ["weather"] } }],
        ["filters", { filters: { event_types: ["nope"] } }],
        ["headers", { headers: { "X-Webhook-Signature": "x" } }]
      ])("are refused with 422 that names %s: %j", async (field, json) => {
        expect(refusalV2(await make(json), 422)).toContain(field)
      })

      test.each([
        { timeout_seconds: 1, max_retries: 0 },
        { timeout_seconds: 300, max_retries: 10 }
      ])("accept the ends of the ranges: %j", async (json) => {
        expect(bodyOf<Json>(await make(json), 201)).toMatchObject(json)
      })

      test("can be tested: the test returns the result, is signed, sent once, and marked as a test", async () => {
        const real = await bench.receiver(() => ({ status: 500, body: "no" }))
        const { id } = await bench.destination({ url: real.url, secret: "s", enabled: false })
        const report = await settings.act<{ delivery: LoggedDelivery }>("POST", `/audit-destinations/${id}/test`)
        expect(report).toMatchObject({ result: "warning", delivery: { test: true, attempts: [{ status_code: 500 }] } })
        const [request] = real.received
        expect(request?.headers["x-webhook-signature"]).toBe(hmac("s", request?.body ?? "", "hex"))
        expect(await bench.settled(`/audit-destinations/${id}`)).toEqual([{ ...report.delivery, recording: null }])
        expect(report.delivery).toMatchObject({ state: "permanently_failed", next_attempt_at: null })
      })

      test("are not signed after their secret is removed, and signed again with a new one", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const { id } = await bench.destination({ url: real.url, secret: "s", enabled: false })
        const own = `/audit-destinations/${id}`
        const signature = async () => {
          await settings.act("POST", `${own}/test`)
          const { headers, body } = real.received.at(-1)!
          return [headers["x-webhook-signature"], body] as const
        }
        await settings.remove(`${own}/secret`)
        expect((await signature())[0]).toBeUndefined()
        await settings.act("POST", `${own}/secret/rotate`, { secret: "again", overlap_seconds: 0 })
        const [value, body] = await signature()
        expect(value).toBe(hmac("again", body, "hex"))
      })

      test("have pending deliveries cancelled when disabled", async () => {
        const { id } = await bench.destination({ url: await bench.urlOf({ status: 500 }) })
        const own = `/audit-destinations/${id}`
        await bench.folder()
        const waiting = await bench.settled(own)
        expect(waiting.map(({ state }) => state)).toContain("waiting")
        await settings.act("PATCH", own, { enabled: false })
        for (const { state } of await bench.settled(own)) expect(["cancelled", "waiting"]).toContain(state)
        expect((await bench.settled(own)).filter((each) => waiting.some(({ id: of }) => of === each.id))).toMatchObject(
          waiting.map(() => ({ state: "cancelled", next_attempt_at: null }))
        )
      })
    })

    describe("entries", () => {
      test("A4: are written once for each change of settings, and not for reads", async () => {
        const other = await bench.folder()
        const recording = await bench.recording()
        const automation = await bench.automation({ url: nowhere, folder_id: other })
        const before = await types()
        for (const path of ["/folders", "/automations", "/users", "/audit-entries", "/account", "/tokens"]) {
          await settings.get(path)
        }
        expect(await types()).toEqual(before)
        const { id: folder } = await settings.make("/folders", { name: "New" })
        await settings.act("PATCH", `/folders/${folder}`, { name: "Other" })
        await settings.remove(`/folders/${folder}`)
        await bench.file(recording, other)
        const { uuid: made } = await settings.make("/recordings", { title: "Up" })
        await settings.remove(`/recordings/${made}`)
        const { id: token } = await settings.make("/tokens", { name: "CI" })
        await settings.remove(`/tokens/${token}`)
        await settings.act("PATCH", `/automations/${automation.id}`, { method: "PUT" })
        const seen = (await entries()).slice(0, 10)
        expect(seen.map(({ event_type, severity }) => `${event_type} ${severity}`).slice(0, 8)).toEqual([
          expect.stringMatching(/^automation\.\S+ /),
          "user.api_token_deleted medium",
          "user.api_token_created medium",
          "recording.deleted medium",
          expect.stringMatching(/^recording\.created /),
          expect.stringMatching(/^recording\.\S+ /),
          "folder.deleted medium",
          expect.stringMatching(/^folder\.updated /)
        ])
        for (const { category, status, user } of seen) {
          expect(categories).toContain(category)
          expect([status, user]).toEqual(["success", { id: 11, name: "Ada", email: "ada@acme.test" }])
        }
      })

      test("are not written for a change to the present values", async () => {
        const folder = await bench.folder("VIP")
        const [newest] = await entries()
        await settings.act("PATCH", `/folders/${folder}`, { name: "VIP" })
        expect((await entries())[0]).toEqual(newest)
      })

      test("A7: have metadata {target_type, target_id, changes}, with previous and new values", async () => {
        const folder = await bench.folder("VIP")
        await settings.act("PATCH", `/folders/${folder}`, { name: "Renamed" })
        expect((await entries())[0]).toMatchObject({
          event_type: "folder.updated",
          metadata: { target_type: "folder", target_id: folder, changes: { name: { from: "VIP", to: "Renamed" } } }
        })
      })

      test("A4: include changes and refusals of the API, newest first, and can be filtered", async () => {
        const { id, token } = bench.member()
        const recording = await bench.recording()
        await bench.retitle(recording, "New")
        refusalV2(await bench.running.fetch("/api/v2/users", { token }), 403)
        const [newest, updated] = await entries()
        expect(newest).toMatchObject({ event_type: "access.denied", status: "failure", user: { id } })
        expect(updated).toMatchObject({ event_type: "recording.updated", status: "success", user: { id: 11 } })
        expect(newest?.id).toBeGreaterThan(updated?.id ?? 0)
        expect(await settings.get(`/audit-entries/${newest?.id}`)).toEqual(newest)
        expect(await types(`?user=${id}&severity=medium`)).toContain("access.denied")
        expect(await types(`?user=${id}&severity=low`)).not.toContain("access.denied")
        expect(new Set(await types("?event_type=access.denied"))).toEqual(new Set(["access.denied"]))
      })

      test("S3: contain no secret and no header value, and neither do their deliveries", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const destination = await bench.destination({ url: real.url })
        const { id } = await bench.automation({ url: nowhere })
        await settings.act("PATCH", `/automations/${id}`, { headers: { "X-Key": "hidden-1" } })
        await settings.act("POST", `/automations/${id}/secret/rotate`, { secret: "hidden-2" })
        await settings.act("PATCH", `/audit-destinations/${destination.id}`, { headers: { "X-Key": "hidden-3" } })
        const { token } = await settings.make<{ token: string }>("/tokens", { name: "CI" })
        await bench.settled(`/audit-destinations/${destination.id}`)
        const texts = [
          (await settings.ask("GET", "/audit-entries")).text,
          (await settings.ask("GET", "/audit-destinations")).text,
          ...real.received.map(({ body }) => body.toString())
        ]
        expect(texts.length).toBeGreaterThan(5)
        for (const text of texts) {
          expect(text).not.toMatch(/hidden-/)
          expect(text).not.toContain(token)
        }
        await settings.remove(`/audit-destinations/${destination.id}`)
      })
    })
  })
