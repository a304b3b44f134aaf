import { afterEach, describe, expect, test } from "vitest"
import { ada, bob, otto, uuid } from "../support/acme.ts"
import { arrived, auditedBy, retitle } from "../support/audited.ts"
import type { Emulator } from "../support/emulator.ts"
import { headerOf, hmac, start } from "../support/hooks.ts"
import { closeReceivers, receiver } from "../support/receiver.ts"
import { blackbox, bodyOf, keysOf } from "../support/target.ts"

/** Audit-log webhooks: entries for what is done through the API, delivered to destinations (A1 to A7). */

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Audit-log webhooks", () => {
    afterEach(closeReceivers)
    const audited = auditedBy(emulator)

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

    test("what the control plane does makes none: it is the test's hand, not a user's", async () => {
      const world = await audited({})
      bodyOf(await world.post("/fixtures", { folders: [{ id: "f1", name: "VIP" }] }), 201)
      await world.addToFolder("f1", uuid(1))
      bodyOf(await world.post("/sessions", { user: "ada@acme.test" }), 201)
      await world.reset()
      expect(await arrived(world)).toEqual([])
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

      test.each(["hex", "sha256=hex", "base64"])(
        "over the exact bytes that a real receiver gets: %s",
        async (signature) => {
          const real = await receiver(() => ({ status: 200 }))
          const secret = "sécret ☕"
          const world = await audited({ url: real.url, secret, signature, headers: { "X-Api-Key": "k" } })
          await retitle(world, ada)
          await world.advance({ by: 0 })
          const [request] = real.received
          const body = request?.body ?? Buffer.alloc(0)
          const digest = hmac(Buffer.from(secret), body, signature === "base64" ? "base64" : "hex")
          expect(request?.headers["x-webhook-signature"]).toBe(signature === "sha256=hex" ? `sha256=${digest}` : digest)
          expect(request).toMatchObject({
            method: "POST",
            headers: { "x-api-key": "k", "content-type": "application/json" }
          })
        }
      )

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
  })
