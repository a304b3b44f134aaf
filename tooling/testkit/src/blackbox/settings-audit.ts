import { beforeEach, describe, expect, test } from "vitest"
import { ada, bob, uuid } from "../support/acme.ts"
import type { Emulator, World } from "../support/emulator.ts"
import { headerOf, hmac, hooked } from "../support/hooks.ts"
import { type Json, type Settings, signIn } from "../support/settings.ts"
import { blackbox, bodyOf, refusalV2 } from "../support/target.ts"

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

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: audit log", () => {
    let world: World
    let settings: Settings
    beforeEach(async () => {
      const audit_destinations = [
        { id: "d1", name: "SIEM", url: "sink:crm", secret: "s", headers: { "X-Key": "hidden-h" } }
      ]
      world = await emulator.start(hooked([200], {}, { audit_destinations }))
      settings = await signIn(world, "ada@acme.test")
    })
    const entries = async (query = "") =>
      (await settings.get<{ audit_entries: ReadonlyArray<Entry> }>(`/audit-entries${query}`)).audit_entries
    const types = async (query = "") => (await entries(query)).map(({ event_type }) => event_type)

    describe("destinations", () => {
      const make = (json: Json) =>
        settings.ask("POST", "/audit-destinations", { json: { name: "New", url: "https://siem.test/", ...json } })

      test("A2: 30 s, 6 retries, no secret and no filters unless they are said", async () => {
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
      ])("422 names %s: %j", async (field, json) => {
        expect(refusalV2(await make(json), 422)).toContain(field)
      })

      test.each([
        { timeout_seconds: 1, max_retries: 0 },
        { timeout_seconds: 300, max_retries: 10 }
      ])("the ends of the ranges: %j", async (json) => {
        expect(bodyOf<Json>(await make(json), 201)).toMatchObject(json)
      })

      test("test delivery: reports the result, is signed, never retried, and marked as a test", async () => {
        bodyOf(await world.control("/sinks/crm", { method: "PUT", json: { respond: [{ status: 500, body: "no" }] } }))
        const report = await settings.act<{ delivery: Json }>("POST", "/audit-destinations/d1/test")
        expect(report).toMatchObject({ result: "warning", delivery: { test: true, attempts: [{ status_code: 500 }] } })
        const [request] = (await world.sink("crm")).requests
        expect(headerOf(request?.headers ?? {}, "x-webhook-signature")).toBe(hmac("s", request?.body ?? "", "hex"))
        const { fired } = await world.advance({ by: "P1D" })
        expect(fired.map(({ id }) => id)).not.toContain(report.delivery.id)
      })

      test("without its secret it is not signed any more; a new one signs again", async () => {
        const signature = async () => {
          await settings.act("POST", "/audit-destinations/d1/test")
          const { headers, body } = (await world.sink("crm")).requests.at(-1) ?? { headers: {}, body: "" }
          return [headerOf(headers, "x-webhook-signature"), body] as const
        }
        await settings.remove("/audit-destinations/d1/secret")
        expect((await signature())[0]).toBeUndefined()
        await settings.act("POST", "/audit-destinations/d1/secret/rotate", { secret: "again", overlap_seconds: 0 })
        const [value, body] = await signature()
        expect(value).toBe(hmac("again", body, "hex"))
      })

      test.each<[string, () => Promise<unknown>]>([
        ["turned off", () => settings.act("PATCH", "/audit-destinations/d1", { enabled: false })],
        ["deleted", () => settings.remove("/audit-destinations/d1")]
      ])("%s: what it had still to deliver is called off", async (_, act) => {
        await world.fetch("/api/v2/users", { token: bob })
        expect((await world.clock()).pending.length).toBeGreaterThan(0)
        await act()
        expect((await world.clock()).pending).toEqual([])
      })
    })

    describe("entries", () => {
      test("A4: each change that the settings allow makes one; reads make none", async () => {
        const before = await types()
        for (const path of ["/folders", "/automations", "/users", "/audit-entries", "/account", "/tokens"]) {
          await settings.get(path)
        }
        expect(await types()).toEqual(before)
        const { id: folder } = await settings.make("/folders", { name: "New" })
        await settings.act("PATCH", `/folders/${folder}`, { name: "Other" })
        await settings.remove(`/folders/${folder}`)
        await settings.act("PUT", `/recordings/${uuid(1)}/folder`, { folder_id: "f2" })
        const { uuid: made } = await settings.make("/recordings", { title: "Up" })
        await settings.remove(`/recordings/${made}`)
        const { id: token } = await settings.make("/tokens", { name: "CI" })
        await settings.remove(`/tokens/${token}`)
        await settings.act("PATCH", "/automations/a1", { method: "PUT" })
        const seen = await entries()
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

      test("a change that changes nothing makes none", async () => {
        const before = (await entries()).length
        await settings.act("PATCH", "/folders/f1", { name: "VIP" })
        await settings.act("PATCH", "/account", { name: "Acme" })
        expect(await entries()).toHaveLength(before)
      })

      test("A7: metadata is {target_type, target_id, changes}, with what was and what is", async () => {
        await settings.act("PATCH", "/folders/f1", { name: "Renamed" })
        expect((await entries())[0]).toMatchObject({
          event_type: "folder.updated",
          metadata: { target_type: "folder", target_id: "f1", changes: { name: { from: "VIP", to: "Renamed" } } }
        })
      })

      test("what the API did, and what it refused, is there too, newest first", async () => {
        await world.fetch(`/api/v2/recordings/${uuid(1)}`, {
          method: "PATCH",
          token: ada,
          json: { recording: { title: "New" } }
        })
        await world.fetch("/api/v2/users", { token: bob })
        const [denied, updated] = await entries()
        expect(denied).toMatchObject({ event_type: "access.denied", status: "failure", user: { id: 12 } })
        expect(updated).toMatchObject({ event_type: "recording.updated", status: "success", user: { id: 11 } })
        expect(denied?.id).toBeGreaterThan(updated?.id ?? 0)
        expect(await settings.get(`/audit-entries/${denied?.id}`)).toEqual(denied)
      })

      test.each([
        ["?event_type=access.denied", ["access.denied"]],
        ["?severity=low", ["folder.updated"]],
        ["?user=12", ["access.denied"]]
      ])("%s", async (query, expected) => {
        await settings.act("PATCH", "/folders/f1", { name: "Renamed" })
        await world.fetch("/api/v2/users", { token: bob })
        expect(await types(query)).toEqual(expected)
      })

      test("each goes to the destinations, with the same id", async () => {
        await settings.act("PATCH", "/folders/f1", { name: "Renamed" })
        await world.advance({ until: "idle" })
        const events = (await world.sink("crm")).requests.map(({ body }) => JSON.parse(body) as Json)
        expect(events).toMatchObject([
          { event: "folder.updated", audit_log: { id: (await entries())[0]?.id, event_type: "folder.updated" } }
        ])
      })

      test("S3: no secret and no header value is in any of them", async () => {
        await settings.act("PATCH", "/automations/a1", { headers: { "X-Key": "hidden-1" } })
        await settings.act("POST", "/automations/a1/secret/rotate", { secret: "hidden-2" })
        await settings.act("PATCH", "/audit-destinations/d1", { headers: { "X-Key": "hidden-3" } })
        const { token } = await settings.make<{ token: string }>("/tokens", { name: "CI" })
        await world.advance({ until: "idle" })
        const texts = [
          (await settings.ask("GET", "/audit-entries")).text,
          (await settings.ask("GET", "/audit-destinations")).text,
          ...(await world.sink("crm")).requests.map(({ body }) => body)
        ]
        for (const text of texts) {
          expect(text).not.toMatch(/hidden-/)
          expect(text).not.toContain(token)
        }
      })
    })
  })
