import { rotateSecret } from "@tapedeck/domain/internal/receivers"
import { signAuditWebhook, signFolderWebhook, signStandardWebhook, verifySync } from "@tapedeck/signing"
import { describe, expect, it } from "vitest"
import { type DispatcherWorld, headersOf, makeWorld } from "./dispatcherWorld.ts"
import { aDelivery, aDestination, anAuditDelivery, anAutomation, instantAfter, startInstant } from "./examples.ts"

const minute = 60_000

/** Rotates the automation's secret at the start, with an overlap of five minutes. */
const rotated = async (world: DispatcherWorld) => {
  const automation = rotateSecret(anAutomation({ secret: "old" }), {
    to: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    at: startInstant,
    overlapMs: 5 * minute
  })
  await world.run(world.store.automations.save(automation))
  return automation
}

describe("during a rotation of a secret", () => {
  it("the vendor's header has the new secret's signature, and webhook-signature one of each (W2)", async () => {
    const world = await makeWorld()
    const { secret } = await rotated(world)
    const delivery = aDelivery()
    await world.run(world.store.deliveries.insert(delivery))
    await world.performDue()
    const headers = headersOf(world.sent[0]!)
    const body = Buffer.from(delivery.body, "utf8")
    const standard = { id: delivery.id, timestamp: startInstant / 1000, body }
    expect(headers["x-tapedeck-signature"]).toBe(signFolderWebhook({ body, secret }))
    expect(headers["webhook-signature"]?.split(" ")).toEqual([
      signStandardWebhook({ ...standard, secret }),
      signStandardWebhook({ ...standard, secret: "old" })
    ])
  })

  it("a receiver with either secret verifies the delivery; one with an expired secret does not", async () => {
    const world = await makeWorld()
    const { secret } = await rotated(world)
    await world.run(world.store.deliveries.insert(aDelivery()))
    // At 0, 1 and 6 minutes; the overlap ends at 5.
    await world.performDue()
    for (const at of [1, 6]) {
      await world.setTime(instantAfter(at * minute))
      await world.performDue()
    }
    const isGood = (attempt: number, known: string) => {
      const { request, startedAt } = world.sent[attempt]!
      try {
        return verifySync({
          body: request.body,
          headers: headersOf(world.sent[attempt]!),
          secret: known,
          scheme: "standard",
          now: startedAt
        })
      } catch {
        return false
      }
    }
    expect([0, 1, 2].map((attempt) => isGood(attempt, secret) !== false)).toEqual([true, true, true])
    expect([0, 1, 2].map((attempt) => isGood(attempt, "old") !== false)).toEqual([true, true, false])
  })

  it("an audit delivery's X-Webhook-Signature is made with the new secret, in the destination's encoding", async () => {
    const world = await makeWorld()
    const destination = rotateSecret(aDestination({ secret: "old", signature: "base64" }), {
      to: "new",
      at: startInstant,
      overlapMs: minute
    })
    await world.run(world.store.destinations.save(destination))
    const delivery = anAuditDelivery()
    await world.run(world.store.deliveries.insert(delivery))
    await world.performDue()
    const headers = headersOf(world.sent[0]!)
    const body = Buffer.from(delivery.body, "utf8")
    expect(headers["x-webhook-signature"]).toBe(signAuditWebhook({ body, secret: "new", encoding: "base64" }))
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2)
  })
})
