import { afterEach, describe, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../support/acme.ts"
import type { Emulator, World } from "../support/emulator.ts"
import { after, headerOf, hmac, minuteMs, start } from "../support/hooks.ts"
import { closeReceivers, receiver } from "../support/receiver.ts"
import { blackbox, bodyOf, keysOf, type StartDocument } from "../support/target.ts"

/** Audit-log webhooks: entries for what is done through the API, delivered to destinations (A1 to A7). */

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Audit-log webhooks", () => {
    afterEach(closeReceivers)

    const audited = (
      destination: StartDocument,
      respond: ReadonlyArray<unknown> = [200],
      config: Record<string, unknown> = {}
    ) =>
      emulator.start(
        acme({
          recordings: [
            { uuid: uuid(1), user: "bob@acme.test", title: "Old", video: { original: { base64: "AAAA" } } },
            { uuid: uuid(2), account: 3 }
          ],
          sinks: [{ id: "siem", respond }],
          audit_destinations: [{ id: "d1", name: "SIEM", url: "sink:siem", ...destination }]
        }),
        { config }
      )
    const retitle = async (world: World, token = ada, id = uuid(1)) =>
      bodyOf(
        await world.fetch(`/api/v2/recordings/${id}`, { method: "PATCH", token, json: { recording: { title: "New" } } })
      )
    /** The events that arrive, once all is sent. */
    const arrived = async (world: World) => {
      await world.advance({ until: "idle" })
      return (await world.sink("siem")).requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    }

    test("Payload shape: recording.updated, key by key", async () => {
      const world = await audited({})
      await world.advance({ by: "PT1H" })
      await retitle(world)
      const [event, ...more] = await arrived(world)
      expect(more).toEqual([])
      expect(event).toEqual({
        event: "recording.updated",
        event_category: expect.stringMatching(
          /^(authentication|authorization|data_access|data_changes|admin_actions|security)$/
        ),
        severity: "low",
        timestamp: "2026-01-01T01:00:00.000Z",
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
      expect(keysOf((event as { audit_log: { metadata: object } }).audit_log.metadata)).toEqual([
        "changes",
        "target_id",
        "target_type"
      ])
    })

    test("the delivery: kind audit, of that destination", async () => {
      const world = await audited({})
      await retitle(world)
      const deliveries = await world.deliveries("?destination=d1")
      expect(deliveries).toMatchObject([
        { kind: "audit", destination: "d1", state: "scheduled", next_attempt_at: start }
      ])
      expect(deliveries[0]).not.toHaveProperty("automation")
    })

    test("A4: a change, a download and a refusal each make an entry; reads and start documents make none", async () => {
      const world = await audited({})
      await world.fetch("/api/v2/recordings", { token: ada })
      await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: ada })
      expect(await world.deliveries()).toEqual([])
      await retitle(world)
      await world.fetch(`/api/v2/recordings/${uuid(1)}/download`, { token: ada })
      await world.fetch("/api/v2/users", { token: bob })
      const events = await arrived(world)
      expect(events.map(({ event, severity }) => [event, severity])).toEqual([
        ["recording.updated", "low"],
        [expect.stringMatching(/download/), expect.any(String)],
        ["access.denied", "medium"]
      ])
      expect(events[2]).toMatchObject({ audit_log: { status: "failure" }, user: { id: 12 } })
    })

    test("A7: a 401 of no known account makes no entry", async () => {
      const world = await audited({})
      await world.fetch("/api/v2/recordings", { token: "unknown" })
      await world.fetch("/api/v2/recordings")
      expect(await arrived(world)).toEqual([])
    })

    test("only the account's own destinations hear of it", async () => {
      const world = await audited({})
      await retitle(world, otto, uuid(2))
      expect(await arrived(world)).toEqual([])
    })

    test("a destination that is not enabled hears nothing", async () => {
      const world = await audited({ enabled: false })
      await retitle(world)
      expect(await arrived(world)).toEqual([])
    })

    describe("A1: X-Webhook-Signature", () => {
      test.each([
        [undefined, (body: string) => hmac("s", body, "hex")],
        ["hex", (body: string) => hmac("s", body, "hex")],
        ["sha256=hex", (body: string) => `sha256=${hmac("s", body, "hex")}`],
        ["base64", (body: string) => hmac("s", body, "base64")]
      ])("encoding %s", async (signature, expected) => {
        const world = await audited({ secret: "s", ...(signature === undefined ? {} : { signature }) })
        await retitle(world)
        await arrived(world)
        const [request] = (await world.sink("siem")).requests
        expect(headerOf(request?.headers ?? {}, "x-webhook-signature")).toBe(expected(request?.body ?? ""))
      })

      test("W2: without a secret no signature, but webhook-id and webhook-timestamp", async () => {
        const world = await audited({ headers: { "X-Api-Key": "k" } })
        await retitle(world)
        await arrived(world)
        const headers = (await world.sink("siem")).requests[0]?.headers ?? {}
        expect(headerOf(headers, "x-webhook-signature")).toBeUndefined()
        expect(headerOf(headers, "webhook-signature")).toBeUndefined()
        expect(headerOf(headers, "webhook-id")).toMatch(/\S/)
        expect(headerOf(headers, "webhook-timestamp")).toBe(String(Date.parse(start) / 1000))
        expect(headerOf(headers, "x-api-key")).toBe("k")
        expect(headerOf(headers, "content-type")).toBe("application/json")
      })
    })

    describe("A2: retries", () => {
      test.each([
        [undefined, [0, 1, 6, 21, 51, 111, 231]],
        [0, [0]],
        [3, [0, 1, 6, 21]],
        [10, [0, 1, 6, 21, 51, 111, 231, 351, 471, 591, 711]]
      ])("max_retries %s: attempts at %j minutes", async (max_retries, minutes) => {
        const world = await audited(max_retries === undefined ? {} : { max_retries }, [500])
        await retitle(world)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual(minutes.map((minute) => minute * minuteMs))
        expect(await world.deliveries()).toMatchObject([{ state: "permanently_failed", next_attempt_at: null }])
      })

      test("the timeout is the destination's", async () => {
        const world = await audited({ timeout_seconds: 5 }, ["timeout", 200])
        await retitle(world)
        const { next } = await world.advance({ by: 0 })
        expect(next).toMatchObject({ kind: "attempt_end", at: after(start, 5_000) })
        await world.advance({ until: "idle" })
        const [delivery] = await world.deliveries()
        expect(delivery?.attempts).toMatchObject([
          { outcome: "timeout", duration_ms: 5_000 },
          { outcome: "success", elapsed_ms: minuteMs }
        ])
      })

      test("of a real receiver that never answers, too", async () => {
        const real = await receiver(() => "silence")
        const world = await audited({ url: real.url, timeout_seconds: 7 }, [200], { real_timeout_ms: 100 })
        await retitle(world)
        const { next } = await world.advance({ by: 0 })
        expect(next).toMatchObject({ kind: "attempt_end", at: after(start, 7_000) })
        expect(real.received).toHaveLength(1)
      })

      test("W3: a retry is never due before the attempt before it ended", async () => {
        const world = await audited({ timeout_seconds: 300, max_retries: 2 }, ["timeout"])
        await retitle(world)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual([0, 5, 10].map((minute) => minute * minuteMs))
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
      ])("%j lets through %i", async (filters, count) => {
        const world = await audited({ filters })
        await retitle(world)
        expect(await arrived(world)).toHaveLength(count)
      })
    })
  })
