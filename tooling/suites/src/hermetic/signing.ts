import {
  memoryReplayStore,
  type SigningError,
  type VerifySyncOptions,
  verifyEventSync,
  verifySync
} from "@tapedeck/signing"
import { describe, expect, test } from "vitest"
import { auditFixtures, uuidOf, type World, webhookFixtures, worldOf } from "./world.ts"

type SinkRequest = Awaited<ReturnType<World["sinks"]["get"]>>["requests"][number]

/** What the sink got of a delivery that was attempted until it came through. */
const folderRequests = async (automation: object = {}, config: Parameters<typeof worldOf>[1] = {}) => {
  const world = await worldOf(webhookFixtures(automation, [500, 500, 200]), config)
  await world.addToFolder("vip", uuidOf(1))
  await world.clock.advance({ until: "idle" })
  return (await world.sinks.get("crm")).requests
}

const auditRequest = async (destination: object) => {
  const world = await worldOf(auditFixtures(destination))
  await world.ask("ada", `/api/v2/recordings/${uuidOf(1)}/download`)
  await world.clock.advance({ until: "idle" })
  return (await world.sinks.get("siem")).requests[0]!
}

const bytesOf = ({ body_base64 }: SinkRequest) => Buffer.from(body_base64, "base64")

type Policy = Omit<VerifySyncOptions, "body" | "headers">

/** As a receiver does it, at the instant at which the request came. */
const verified = (request: SinkRequest, policy: Policy, body: Uint8Array = bytesOf(request)) =>
  verifySync({ body, headers: request.headers, now: Date.parse(request.at), ...policy })

const codeOf = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (error) {
    return (error as SigningError).code
  }
  return "verified"
}

const whsec = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`

/** What @tapedeck/signing promises to receivers, of what sinks really got. */
export const signing = (): void => {
  describe("a receiver of folder deliveries", () => {
    test.each(["secret", "ünï côdé", whsec])(
      "verifies every attempt with the secret %s, by either scheme",
      async (secret) => {
        const requests = await folderRequests({ secret })
        expect(requests).toHaveLength(3)
        for (const request of requests) {
          expect(verified(request, { secret })).toMatchObject({ scheme: "standard", secretIndex: 0 })
          expect(verified(request, { secret, scheme: "folder" })).toEqual({ scheme: "folder", secretIndex: 0 })
        }
      }
    )

    test("sees one id on all attempts of a delivery, and the time of each", async () => {
      const requests = await folderRequests()
      const all = requests.map((request) => verified(request, { secret: "secret", scheme: "standard" }))
      expect(new Set(all.map((one) => "id" in one && one.id)).size).toBe(1)
      expect(all.map((one) => "timestamp" in one && one.timestamp * 1000)).toEqual(
        requests.map(({ at }) => Date.parse(at))
      )
    })

    test("refuses a changed body, another secret, an old request, and one that comes twice", async () => {
      const [request] = await folderRequests()
      const changed = bytesOf(request!)
      changed[changed.length - 2]! ^= 1
      const late = Date.parse(request!.at) + 301_000
      expect(codeOf(() => verified(request!, { secret: "secret" }, changed))).toBe("signature_mismatch")
      expect(codeOf(() => verified(request!, { secret: "other" }))).toBe("signature_mismatch")
      expect(codeOf(() => verified(request!, { secret: "secret", now: late }))).toBe("timestamp_too_old")
      const replayStore = memoryReplayStore()
      const once = () => verified(request!, { secret: "secret", replayStore })
      expect([codeOf(once), codeOf(once)]).toEqual(["verified", "replayed"])
    })

    test("takes a retry for what it is: not a replay", async () => {
      const replayStore = memoryReplayStore()
      for (const request of await folderRequests()) {
        expect(codeOf(() => verified(request, { secret: "secret", replayStore }))).toBe("verified")
      }
    })

    test("verifies under the vendor's word, with or without the three headers", async () => {
      const [request] = await folderRequests({}, { vendor: "Acme", standard_webhooks: false })
      expect(verified(request!, { secret: "secret", vendor: "Acme" })).toEqual({ scheme: "folder", secretIndex: 0 })
      expect(codeOf(() => verified(request!, { secret: "secret" }))).toBe("header_missing")
    })

    test("the verified event has the type of its kind", async () => {
      const [request] = await folderRequests()
      const { event } = verifyEventSync({
        body: bytesOf(request!),
        headers: request!.headers,
        secret: "secret",
        now: Date.parse(request!.at)
      })
      expect(event).toMatchObject({ event: "recording.added_to_folder", recording: { title: "Größe 🎥" } })
    })
  })

  describe("a receiver of audit deliveries", () => {
    test.each(["hex", "sha256=hex", "base64"] as const)("verifies a digest written as %s (A1)", async (signature) => {
      const request = await auditRequest({ secret: "secret", signature })
      const policy = { secret: "secret", scheme: "audit" } as const
      expect(verified(request, policy)).toEqual({ scheme: "audit", secretIndex: 0, encoding: signature })
      expect(verified(request, { ...policy, encoding: signature })).toMatchObject({ encoding: signature })
      expect(verified(request, { secret: "secret" })).toMatchObject({ scheme: "standard" })
    })

    test("finds nothing to verify where the destination has no secret (W2)", async () => {
      const request = await auditRequest({})
      expect(codeOf(() => verified(request, { secret: "secret" }))).toBe("header_missing")
      expect(Object.keys(request.headers)).toEqual(expect.arrayContaining(["webhook-id", "webhook-timestamp"]))
    })
  })
}
