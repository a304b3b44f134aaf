import { verify } from "@octokit/webhooks-methods"
import { Webhook } from "standardwebhooks"
import { afterEach, describe, expect, test, vi } from "vitest"
import { uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { headerOf, hmac, hooked, instantAfter, minuteMs, scheduleMs, start } from "../../support/hooks.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import type { Delivery, Event } from "../../support/shapes.ts"
import { blackbox, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Folder automations: the retry schedule, the headers and the signatures, at sinks and at a real receiver. */

interface Seen {
  readonly method: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const one = async (world: World): Promise<Delivery> => {
  const [delivery] = await world.deliveries()
  expect(delivery).toBeDefined()
  return delivery as Delivery
}

const whsec = `whsec_${Buffer.from("twenty-four bytes of key").toString("base64")}`

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Folder automation webhooks", () => {
    afterEach(closeReceivers)
    afterEach(() => void vi.useRealTimers())

    /** The six failing attempts at a sink and at a receiver, as each saw them. */
    const failing = async (kind: string, automation: Record<string, unknown> = {}, config = {}) => {
      const real = kind === "a real receiver" ? await receiver(() => ({ status: 500, body: "no" })) : undefined
      const document = hooked([{ status: 500, body: "no" }], { ...automation, url: real?.url ?? "sink:crm" })
      const world = await emulator.start(document, { config })
      const ids = await world.addToFolder("f1", uuid(1))
      const moved = await world.advance({ until: "idle" })
      const seen: ReadonlyArray<Seen> =
        real === undefined
          ? (await world.sink("crm")).requests
          : real.received.map((request) => ({ ...request, body: request.body.toString() }))
      return { world, ids, moved, seen, delivery: await one(world) }
    }

    describe.each(["a sink", "a real receiver"])("at %s that always fails", (kind) => {
      test("Retry schedule: six attempts are made, at exactly 0, 1, 6, 36, 156 and 876 minutes, then it is permanently failed", async () => {
        const { ids, moved, seen, delivery } = await failing(kind)
        expect(ids).toEqual([delivery.id])
        const expected = scheduleMs.map(
          (elapsed, index): Event => ({
            at: instantAfter(start, elapsed),
            kind: "attempt",
            id: delivery.id,
            attempt: index + 1,
            elapsed_ms: elapsed,
            outcome: "failure",
            status_code: 500
          })
        )
        expect(moved).toEqual({
          now: instantAfter(start, 876 * minuteMs),
          fired: expected,
          pending_count: 0,
          next: null,
          reached: true,
          stopped_by: null
        })
        expect(seen).toHaveLength(6)
        expect(delivery).toMatchObject({ state: "permanently_failed", next_attempt_at: null })
      })

      test("the delivery and its attempts have exactly the specified keys", async () => {
        const { seen, delivery } = await failing(kind)
        expect(keysOf(delivery).filter((key) => key !== "retry")).toEqual([
          "attempts",
          "automation",
          "id",
          "kind",
          "next_attempt_at",
          "recording",
          "state"
        ])
        expect(delivery).toMatchObject({ kind: "automation", automation: "a1", recording: uuid(1) })
        expect(delivery.attempts).toEqual(
          scheduleMs.map((elapsed, index) => ({
            attempt: index + 1,
            at: instantAfter(start, elapsed),
            elapsed_ms: elapsed,
            duration_ms: 0,
            outcome: "failure",
            status_code: 500,
            request: {
              method: "POST",
              url: expect.stringMatching(/^https?:\/\//),
              headers: expect.any(Object),
              body: seen[0]?.body
            },
            response: { headers: expect.any(Object), body: "no", truncated: false },
            error: delivery.attempts[index]?.error
          }))
        )
      })

      test("W1: X-Tapedeck-Signature is sha256= and the hex digest of the body's bytes, by the secret's bytes", async () => {
        const secret = "sécret ☕"
        const { seen } = await failing(kind, { secret })
        for (const { headers, body } of seen) {
          const signature = headerOf(headers, "x-tapedeck-signature")
          expect(signature).toBe(`sha256=${hmac(Buffer.from(secret), body, "hex")}`)
          expect(await verify(secret, body, String(signature)), "@octokit/webhooks-methods").toBe(true)
        }
      })

      test("W2: the three Standard Webhooks headers have one id, each attempt's own timestamp, and a valid signature", async () => {
        const { seen, delivery } = await failing(kind, { secret: "k" })
        const ids = seen.map(({ headers }) => headerOf(headers, "webhook-id"))
        expect(new Set(ids).size, String(ids)).toBe(1)
        expect(ids[0]).toMatch(/^\S+$/)
        expect(seen.map(({ headers }) => headerOf(headers, "webhook-timestamp"))).toEqual(
          delivery.attempts.map(({ at }) => String(Date.parse(at) / 1000))
        )
        for (const { headers, body } of seen) {
          const signed = `${ids[0]}.${headerOf(headers, "webhook-timestamp")}.${body}`
          expect(headerOf(headers, "webhook-signature")).toBe(`v1,${hmac("k", signed, "base64")}`)
        }
      })

      test.each([
        ["a secret of one's own", "k", { format: "raw" as const }],
        ["a whsec_ secret", whsec, undefined]
      ])("W2: the npm package standardwebhooks verifies each attempt: %s", async (_, secret, options) => {
        const { seen, delivery } = await failing(kind, { secret })
        const webhook = new Webhook(secret, options)
        for (const [index, { headers, body }] of seen.entries()) {
          vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(delivery.attempts[index]?.at ?? "") })
          const names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
          const three = Object.fromEntries(names.map((name) => [name, headerOf(headers, name) ?? ""]))
          expect(webhook.verify(body, three)).toEqual(JSON.parse(body))
          expect(() => webhook.verify(`${body} `, three)).toThrow()
        }
      })

      test("W1: the vendor's header is signed with the text of a whsec_ secret", async () => {
        const { seen } = await failing(kind, { secret: whsec })
        expect(headerOf(seen[0]?.headers ?? {}, "x-tapedeck-signature")).toBe(
          `sha256=${hmac(whsec, seen[0]?.body ?? "", "hex")}`
        )
      })

      test("W11: the payload is rendered once, so that each attempt has the same bytes", async () => {
        const { seen } = await failing(kind)
        expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
        expect(JSON.parse(seen[5]?.body ?? "")).toMatchObject({ timestamp: start })
      })

      test("W10: the content type is application/json unless a custom header replaces it, and custom headers are sent", async () => {
        const plain = await failing(kind)
        expect(headerOf(plain.seen[0]?.headers ?? {}, "content-type")).toBe("application/json")
        const custom = await failing(kind, {
          headers: { "Content-Type": "application/vnd.crm+json", "X-Api-Key": "k 1" }
        })
        expect(headerOf(custom.seen[0]?.headers ?? {}, "content-type")).toBe("application/vnd.crm+json")
        expect(headerOf(custom.seen[0]?.headers ?? {}, "x-api-key")).toBe("k 1")
      })

      test("W14: User-Agent is <Vendor>/<version> and Accept is */*, unless custom headers replace them", async () => {
        const plain = await failing(kind, {}, { vendor: "Acme" })
        const own = plain.seen[0]?.headers ?? {}
        expect(headerOf(own, "user-agent")).toMatch(/^Acme\/\d+\.\d+\.\d+/)
        expect(headerOf(own, "accept")).toBe("*/*")
        const custom = await failing(kind, { headers: { "User-Agent": "crm-hook", ACCEPT: "text/plain" } })
        const { headers = {} } = custom.seen[0] ?? {}
        expect([headerOf(headers, "user-agent"), headerOf(headers, "accept")]).toEqual(["crm-hook", "text/plain"])
      })

      test.each(["POST", "PUT", "PATCH", "DELETE"])("HTTP method %s carries the body (W10)", async (method) => {
        const { seen } = await failing(kind, { method })
        expect(seen[0]?.method).toBe(method)
        expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ event: "recording.added_to_folder" })
      })

      test("N2: the vendor word is part of the header's name", async () => {
        const { seen } = await failing(kind, {}, { vendor: "Acme" })
        const headers = seen[0]?.headers ?? {}
        expect(headerOf(headers, "x-acme-signature")).toBe(`sha256=${hmac("k", seen[0]?.body ?? "", "hex")}`)
        expect(headerOf(headers, "x-tapedeck-signature")).toBeUndefined()
      })

      test("W2: the setting disables the three headers, but not the vendor's", async () => {
        const { seen } = await failing(kind, {}, { standard_webhooks: false })
        const headers = seen[0]?.headers ?? {}
        for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
          expect(headerOf(headers, name), name).toBeUndefined()
        }
        expect(headerOf(headers, "x-tapedeck-signature")).toMatch(/^sha256=[0-9a-f]{64}$/)
      })
    })

    test("W2: an automation without a secret gets a generated whsec_ one, and signs with it", async () => {
      const world = await emulator.start(hooked([200], { secret: undefined }))
      const secret = String(world.made.automations?.[0]?.secret)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
      await world.addToFolder("f1", uuid(1))
      await world.advance({ by: 0 })
      const [request] = (await world.sink("crm")).requests
      expect(headerOf(request?.headers ?? {}, "x-tapedeck-signature")).toBe(
        `sha256=${hmac(secret, request?.body ?? "", "hex")}`
      )
      const id = headerOf(request?.headers ?? {}, "webhook-id")
      const timestamp = headerOf(request?.headers ?? {}, "webhook-timestamp")
      const key = Buffer.from(secret.slice("whsec_".length), "base64")
      expect(headerOf(request?.headers ?? {}, "webhook-signature")).toBe(
        `v1,${hmac(key, `${id}.${timestamp}.${request?.body}`, "base64")}`
      )
    })

    describe("Webhook delivery attempt: states", () => {
      test("a delivery is scheduled, waits for retry 1 to 5, and is permanently failed", async () => {
        const world = await emulator.start(hooked([500]))
        await world.addToFolder("f1", uuid(1))
        const before = await one(world)
        expect(before).toMatchObject({ state: "scheduled", next_attempt_at: start, attempts: [] })
        for (let retry = 1; retry <= 5; retry += 1) {
          await world.advance({ next: true })
          expect(await one(world)).toMatchObject({
            state: "waiting",
            retry,
            next_attempt_at: instantAfter(start, scheduleMs[retry] ?? 0)
          })
        }
        await world.advance({ next: true })
        expect(await one(world)).toMatchObject({ state: "permanently_failed", next_attempt_at: null })
        expect((await world.advance({ by: "P30D" })).fired).toEqual([])
        expect((await world.sink("crm")).requests).toHaveLength(6)
      })

      test.each([0, 1, 2, 3, 4, 5])("a delivery is delivered on a 2xx after %i failures", async (failures) => {
        const world = await emulator.start(hooked([...Array.from({ length: failures }, () => 503), 204]))
        await world.addToFolder("f1", uuid(1))
        const { fired, now } = await world.advance({ until: "idle" })
        expect(fired.map(({ outcome, status_code }) => [outcome, status_code])).toEqual([
          ...Array.from({ length: failures }, () => ["failure", 503]),
          ["success", 204]
        ])
        expect(now).toBe(instantAfter(start, scheduleMs[failures] ?? 0))
        expect(await one(world)).toMatchObject({ state: "delivered", next_attempt_at: null })
      })

      test.each([200, 201, 202, 204, 206, 226, 299])("HTTP %i is a success", async (status) => {
        const world = await emulator.start(hooked([status]))
        await world.addToFolder("f1", uuid(1))
        expect((await world.advance({ by: 0 })).fired).toMatchObject([{ outcome: "success", status_code: status }])
      })

      test.each([300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 422, 429, 500, 502, 503])(
        "W5: HTTP %i is a failure",
        async (status) => {
          const world = await emulator.start(hooked([{ status, headers: { location: "https://crm.test/" } }]))
          await world.addToFolder("f1", uuid(1))
          expect((await world.advance({ by: 0 })).fired).toMatchObject([{ outcome: "failure", status_code: status }])
          expect(await one(world)).toMatchObject({ state: "waiting", retry: 1 })
        }
      )

      test("W3: Retry-After and 410 do not change the schedule", async () => {
        const answers = [
          { status: 429, headers: { "retry-after": "3600" } },
          { status: 410, body: "gone" },
          { status: 503, headers: { "retry-after": "1" } }
        ]
        const world = await emulator.start(hooked(answers))
        await world.addToFolder("f1", uuid(1))
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual(scheduleMs)
      })

      test("W3: the specified times hold when each attempt takes its whole 30 s", async () => {
        const world = await emulator.start(hooked(["timeout"]))
        await world.addToFolder("f1", uuid(1))
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms, outcome }) => [elapsed_ms, outcome])).toEqual(
          scheduleMs.map((elapsed) => [elapsed, "timeout"])
        )
        expect((await one(world)).attempts.map(({ duration_ms }) => duration_ms)).toEqual(Array(6).fill(30_000))
      })
    })
  })
