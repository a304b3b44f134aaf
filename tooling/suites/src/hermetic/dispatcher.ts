import { describe, expect, test } from "vitest"
import { auditFixtures, uuidOf, type World, webhookFixtures, worldOf } from "./world.ts"

type Respond = Parameters<World["sinks"]["respond"]>[1]

const fire = async (automation: object = {}, respond: Respond = [200], config: Parameters<typeof worldOf>[1] = {}) => {
  const world = await worldOf(webhookFixtures(automation, respond), config)
  await world.addToFolder("vip", uuidOf(1))
  return world
}

const startedAt = Date.parse("2026-01-01T00:00:00.000Z")
const minutes = (...list: ReadonlyArray<number>) => list.map((one) => one * 60_000)

/** What the dispatcher promises: when attempts are sent, what they carry, how they end. */
export const dispatcher = (): void => {
  describe("attempts go out", () => {
    test("at the specification's instants, each seen by the receiver at its own", async () => {
      const world = await fire({}, [500])
      await world.clock.advance({ until: "idle" })
      const { requests } = await world.sinks.get("crm")
      expect(requests.map(({ at }) => Date.parse(at) - startedAt)).toEqual(minutes(0, 1, 6, 36, 156, 876))
      expect(new Set(requests.map(({ body_base64 }) => body_base64)).size).toBe(1)
    })

    test("their delay after the start of the one before, however long that took (W3)", async () => {
      const world = await fire({}, ["timeout", { status: 503, after: "PT29S" }, 200])
      const { fired } = await world.clock.advance({ until: "idle" })
      expect(fired.map(({ elapsed_ms, outcome }) => [elapsed_ms, outcome])).toEqual([
        [0, "timeout"],
        [60_000, "failure"],
        [360_000, "success"]
      ])
      const [delivery] = await world.deliveries()
      expect(delivery?.attempts.map(({ duration_ms }) => duration_ms)).toEqual([30_000, 29_000, 0])
    })

    test.each<[string, Respond[number], string]>([
      [
        "a redirect, which is not followed (W5)",
        { status: 302, headers: { location: "https://elsewhere.test/" } },
        "failure"
      ],
      ["410 and Retry-After, which change nothing", { status: 410, headers: { "retry-after": "1" } }, "failure"],
      ["a reset", "reset", "reset"],
      ["a refused connection", "refused", "refused"],
      ["a name without an address", "dns", "dns"],
      ["a broken handshake", "tls", "tls"],
      ["silence", "timeout", "timeout"]
    ])("again after a minute where there was %s", async (_, answer, outcome) => {
      const world = await fire({}, [answer, 200])
      const { fired } = await world.clock.advance({ until: "idle" })
      expect(fired.map((one) => [one.elapsed_ms, one.outcome])).toEqual([
        [0, outcome],
        [60_000, "success"]
      ])
    })

    test("an attempt to a receiver outside the emulator is blocked, nothing is sent, and the schedule continues", async () => {
      const world = await fire({ url: "https://customer.example/hook" })
      const { fired } = await world.clock.advance({ until: "idle" })
      expect(fired.map(({ elapsed_ms, outcome }) => [elapsed_ms, outcome])).toEqual(
        minutes(0, 1, 6, 36, 156, 876).map((ms) => [ms, "blocked"])
      )
      expect((await world.deliveries())[0]?.attempts[0]).toMatchObject({ status_code: null, response: null })
    })
  })

  describe("an attempt carries", () => {
    test("content type, User-Agent, Accept, custom headers, signature, and the three of Standard Webhooks, in this order (W2, W8, W10, W14)", async () => {
      const world = await fire({ headers: { "X-Team": "7", Authorization: "Bearer key" } })
      await world.clock.advance({ until: "idle" })
      const [request] = (await world.sinks.get("crm")).requests
      expect(Object.keys(request!.headers)).toEqual([
        "content-type",
        "user-agent",
        "accept",
        "x-team",
        "authorization",
        "x-tapedeck-signature",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature"
      ])
      expect(request).toMatchObject({ method: "POST", headers: { "content-type": "application/json", "x-team": "7" } })
    })

    test("deliveries have none of the three headers if the setting is off, and the content type of a custom header", async () => {
      const headers = { "Content-Type": "application/vnd.acme+json" }
      const world = await fire({ headers, method: "PUT" }, [200], { standard_webhooks: false, vendor: "Acme" })
      await world.clock.advance({ until: "idle" })
      const [request] = (await world.sinks.get("crm")).requests
      expect(Object.keys(request!.headers)).toEqual(["user-agent", "accept", "content-type", "x-acme-signature"])
      expect(request).toMatchObject({ method: "PUT", headers: { "content-type": "application/vnd.acme+json" } })
    })

    test("of the audit log, an id and a time, and a signature only with a secret", async () => {
      const world = await worldOf(auditFixtures())
      await world.ask("ada", `/api/v2/recordings/${uuidOf(1)}/download`)
      await world.clock.advance({ until: "idle" })
      const [request] = (await world.sinks.get("siem")).requests
      expect(Object.keys(request!.headers)).toEqual([
        "content-type",
        "user-agent",
        "accept",
        "webhook-id",
        "webhook-timestamp"
      ])
      expect(request?.method).toBe("POST")
    })
  })

  describe("the log says of each attempt", () => {
    test("what went out and what came back", async () => {
      const world = await fire({}, [{ status: 500, body: "no", headers: { "x-why": "because" } }, 200])
      await world.clock.advance({ until: "idle" })
      const [delivery] = await world.deliveries()
      const [request] = (await world.sinks.get("crm")).requests
      expect(delivery).toMatchObject({
        kind: "automation",
        automation: "a1",
        recording: uuidOf(1),
        state: "delivered",
        attempts: [
          {
            attempt: 1,
            outcome: "failure",
            status_code: 500,
            request: { method: "POST", headers: request?.headers, body: request?.body },
            response: { headers: { "x-why": "because" }, body: "no", truncated: false }
          },
          { attempt: 2, elapsed_ms: 60_000, outcome: "success", status_code: 200 }
        ]
      })
    })
  })
}
