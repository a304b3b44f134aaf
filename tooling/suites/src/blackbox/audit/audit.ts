import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { ada, otto, uuid } from "../../support/acme.ts"
import { arrived, auditedBy, retitle } from "../../support/audited.ts"
import type { Emulator } from "../../support/emulator.ts"
import { hmac, start } from "../../support/hooks.ts"
import { closeReceivers } from "../../support/receiver.ts"
import type { Json } from "../../support/settings.ts"
import { blackbox, bodyOf, keysOf, refusalV2, type Target } from "../../support/target.ts"
import { type LoggedDelivery, type Made, Workbench } from "../../support/workbench.ts"
import { onStores } from "../targets.ts"

/** Audit-log webhooks: entries for what is done through the API, delivered to destinations (A1, A4, A6 to A8). */

type Event = Json & { readonly event: string; readonly audit_log: Json & { readonly metadata: object } }

const categories = ["authentication", "authorization", "data_access", "data_changes", "admin_actions", "security"]
const severities = ["low", "medium", "high"]
const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Audit-log webhooks", () => {
    let bench: Workbench
    /** With a video. */
    let recording: string
    const destinations: Array<Made> = []
    beforeAll(async () => {
      bench = await Workbench.of(target)
      recording = await bench.recording()
      const headers = { "content-type": "video/webm" }
      bodyOf(await bench.settings.ask("PUT", `/recordings/${recording}/video`, { headers, body: webm }))
    }, 60_000)
    afterEach(async () => {
      for (const { id } of destinations.splice(0)) await bench.settings.remove(`/audit-destinations/${id}`)
      await closeReceivers()
    })

    /** A receiver and a destination of its own until the test has ended. */
    const audited = async (destination: Json = {}) => {
      const real = await bench.receiver(() => ({ status: 200 }))
      const made = await bench.destination({ url: real.url, ...destination })
      destinations.push(made)
      return { made, real }
    }
    let titles = 0
    const change = () => bench.retitle(recording, `Title ${++titles}`)
    /** The deliveries of what happened since the destination is there, oldest first; its own making is none of them. */
    const deliveriesOf = async ({ id }: Made): Promise<ReadonlyArray<LoggedDelivery>> =>
      (await bench.settled(`/audit-destinations/${id}`))
        .filter(({ event }) => event !== "audit_destination.created")
        .toReversed()
    const eventsOf = async (made: Made) => (await deliveriesOf(made)).map(({ event }) => event)

    test("Payload shape: the body of recording.updated has exactly the specified keys", async () => {
      const { made, real } = await audited({ filters: { event_types: ["recording.updated"] } })
      await change()
      expect(await eventsOf(made)).toEqual(["recording.updated"])
      const event = JSON.parse(String(real.received[0]?.body)) as Event
      expect(event).toEqual({
        event: "recording.updated",
        event_category: expect.stringMatching(new RegExp(`^(${categories.join("|")})$`)),
        severity: "low",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        audit_log: {
          id: expect.any(Number),
          event_type: "recording.updated",
          status: "success",
          ip_address: expect.any(String),
          user_agent: expect.any(String),
          metadata: expect.any(Object)
        },
        user: { id: 11, name: "Ada", email: "ada@acme.test" },
        account: { id: 1, name: "Acme" }
      })
      expect(keysOf(event.audit_log.metadata)).toEqual(["changes", "target_id", "target_type"])
      const [entry] = await bench.entries<{ id: number }>()
      expect(entry?.id).toBe(event.audit_log.id)
    })

    test("A4: a change, a download and a refusal each write an entry; reads write none", async () => {
      const { made, real } = await audited()
      const { id, token } = bench.member()
      await bench.running.fetch("/api/v2/recordings", { token: ada })
      await bench.running.fetch(`/api/v2/recordings/${recording}`, { token: ada })
      expect(await eventsOf(made)).toEqual([])
      await change()
      await bench.running.fetch(`/api/v2/recordings/${recording}/download`, { token: ada })
      await bench.running.fetch("/api/v2/users", { token })
      expect(await eventsOf(made)).toEqual(["recording.updated", "recording.downloaded", "access.denied"])
      const events = real.received.map(({ body }) => JSON.parse(body.toString()) as Event)
      expect(events.find(({ event }) => event === "access.denied")).toMatchObject({
        severity: "medium",
        audit_log: { status: "failure" },
        user: { id }
      })
    })

    test("A4: a GET that begins at byte 0 is a download; HEAD, 304, 416 and a later range write no entry", async () => {
      const { made } = await audited()
      const ask = (method: string, headers: Record<string, string>) =>
        bench.running.fetch(`/api/v2/recordings/${recording}/download`, { method, headers, token: ada })
      const statuses = [
        await ask("HEAD", {}),
        await ask("GET", { range: "bytes=5-" }),
        await ask("GET", { range: "bytes=9999-" }),
        await ask("GET", { "if-none-match": "*" })
      ].map(({ status }) => status)
      expect(statuses).toEqual([200, 206, 416, 304])
      expect(await eventsOf(made)).toEqual([])
      expect((await ask("GET", { range: "bytes=0-3" })).status).toBe(206)
      expect((await ask("GET", {})).status).toBe(200)
      expect(await eventsOf(made)).toEqual(["recording.downloaded", "recording.downloaded"])
    })

    test("A8: denials of the same caller and operation are one entry an hour", async () => {
      const { made, real } = await audited()
      const { token } = bench.member()
      const paths = ["/users", "/users/search?email=x@acme.test", ...Array<string>(6).fill("/users")]
      // At once, as requests to several nodes are.
      const refused = await Promise.all(paths.map((path) => bench.running.fetch(`/api/v2${path}`, { token })))
      for (const answer of refused) refusalV2(answer, 403)
      expect(await eventsOf(made)).toEqual(["access.denied", "access.denied"])
      const events = real.received.map(({ body }) => JSON.parse(body.toString()) as Event)
      const denied = events.filter(({ event }) => event === "access.denied").map(({ audit_log }) => audit_log.metadata)
      expect(denied).toHaveLength(2)
      for (const target_id of ["users.list", "users.search"]) {
        expect(denied).toContainEqual({ target_type: "operation", target_id, changes: {} })
      }
    })

    test("A7: a 401 without a known account writes no entry", async () => {
      const { made } = await audited()
      await bench.running.fetch("/api/v2/recordings", { token: "unknown" })
      await bench.running.fetch("/api/v2/recordings")
      expect(await eventsOf(made)).toEqual([])
    })

    test("an event is sent to its own account's destinations only", async () => {
      const { made } = await audited()
      const json = { title: "Elsewhere" }
      const call = { method: "POST", token: otto, json }
      bodyOf(await bench.running.fetch("/api/settings/recordings", call), 201)
      expect(await eventsOf(made)).toEqual([])
    })

    test("a disabled destination gets no event", async () => {
      const { made } = await audited({ enabled: false })
      await change()
      expect(await eventsOf(made)).toEqual([])
    })

    describe("A1: X-Webhook-Signature", () => {
      const arrivedAt = async (destination: Json) => {
        const { made, real } = await audited({ ...destination, filters: { event_types: ["recording.updated"] } })
        await change()
        await deliveriesOf(made)
        return real.received[0]!
      }

      test.each([undefined, "hex", "sha256=hex", "base64"])(
        "encoding %s signs the exact bytes that a real receiver gets",
        async (signature) => {
          const secret = "sécret ☕"
          const { body, headers, method } = await arrivedAt({ secret, ...(signature !== undefined && { signature }) })
          const digest = hmac(Buffer.from(secret), body, signature === "base64" ? "base64" : "hex")
          expect(headers["x-webhook-signature"]).toBe(signature === "sha256=hex" ? `sha256=${digest}` : digest)
          expect([method, headers["content-type"]]).toEqual(["POST", "application/json"])
        }
      )

      test("W2: a delivery without a secret has no signature, but webhook-id, webhook-timestamp and custom headers", async () => {
        const { headers } = await arrivedAt({ headers: { "X-Api-Key": "k" } })
        expect(headers).not.toHaveProperty("x-webhook-signature")
        expect(headers).not.toHaveProperty("webhook-signature")
        expect(headers["webhook-id"]).toMatch(/\S/)
        expect(headers["webhook-timestamp"]).toMatch(/^\d+$/)
        expect(headers["x-api-key"]).toBe("k")
      })

      test("W14: User-Agent names vendor and version, and Accept is */*", async () => {
        const { headers } = await arrivedAt({})
        expect(headers["user-agent"]).toMatch(/^Tapedeck\/\d+\.\d+\.\d+/)
        expect(headers.accept).toBe("*/*")
      })
    })

    describe("A6: filters", () => {
      test.each([
        [{}, 1],
        [{ categories: [], event_types: [], severities: [] }, 1],
        [{ event_types: ["recording.updated"] }, 1],
        [{ event_types: ["user.login", "recording.updated"] }, 1],
        [{ event_types: ["user.login"] }, 0],
        [{ severities: ["low"] }, 1],
        [{ severities: ["medium", "high"] }, 0],
        [{ event_types: ["recording.updated"], severities: ["high"] }, 0],
        [{ event_types: ["recording.updated"], severities: ["low", "high"] }, 1],
        [{ categories: ["authentication"] }, 0]
      ])("%j passes %i events", async (filters, count) => {
        const { made } = await audited({ filters })
        await change()
        expect(await eventsOf(made)).toHaveLength(count)
      })

      test("A3, A7: each event has one category and one severity, and passes by these only", async () => {
        const all = await audited({})
        const by = new Map<string, Made>()
        for (const [name, values] of [
          ["categories", categories],
          ["severities", severities]
        ] as const) {
          for (const value of values) by.set(value, (await audited({ filters: { [name]: [value] } })).made)
        }
        const before = (await eventsOf(all.made)).length
        expect(before).toBe(0)
        const { token } = bench.member()
        await change()
        await bench.running.fetch(`/api/v2/recordings/${recording}/download`, { token: ada })
        await bench.running.fetch("/api/v2/users", { token })
        expect(await eventsOf(all.made)).toEqual(["recording.updated", "recording.downloaded", "access.denied"])
        const events = all.real.received
          .map(({ body }) => JSON.parse(body.toString()) as Event)
          .filter(({ event }) => event !== "audit_destination.created")
        for (const [key, values] of [
          ["event_category", categories],
          ["severity", severities]
        ] as const) {
          for (const { event, [key]: own } of events) expect(values, event).toContain(own)
          for (const value of values) {
            const expected = events.filter((event) => event[key] === value).map(({ event }) => event)
            expect((await eventsOf(by.get(value)!)).toSorted(), value).toEqual(expected.toSorted())
          }
        }
      })
    })
  })

/** Where the clock can be moved, and a control plane acts. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "Audit-log webhooks and the control plane", () => {
    const audited = auditedBy(emulator)

    test("the delivery has the kind audit, and names its destination", async () => {
      const world = await audited({})
      await retitle(world)
      const deliveries = await world.deliveries("?destination=d1")
      expect(deliveries).toMatchObject([
        { kind: "audit", destination: "d1", state: "scheduled", next_attempt_at: start }
      ])
      expect(deliveries[0]).not.toHaveProperty("automation")
    })

    test("A4: start documents write no entry", async () => {
      const world = await audited({})
      expect(await world.deliveries()).toEqual([])
      expect(await arrived(world)).toEqual([])
    })

    test("calls of the control plane write no audit entries, because no user makes them", async () => {
      const world = await audited({})
      bodyOf(await world.post("/fixtures", { folders: [{ id: "f1", name: "VIP" }] }), 201)
      await world.addToFolder("f1", uuid(1))
      bodyOf(await world.post("/sessions", { user: "ada@acme.test" }), 201)
      await world.reset()
      expect(await arrived(world)).toEqual([])
    })

    test("the entry's timestamp is that of the virtual clock", async () => {
      const world = await audited({})
      await world.advance({ by: "PT1H" })
      await retitle(world)
      expect(await arrived(world)).toMatchObject([{ timestamp: "2026-01-01T01:00:00.000Z" }])
    })
  })
