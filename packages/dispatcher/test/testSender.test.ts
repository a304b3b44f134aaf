import { defaultServiceConfig, findReceiver } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeTestSender } from "../src/index.ts"
import { type DispatcherWorld, endingAfter, headersOf, makeWorld } from "./dispatcherWorld.ts"
import {
  aDelivery,
  aDestination,
  anAuditDelivery,
  anAutomation,
  answered,
  instantAfter,
  startInstant
} from "./examples.ts"

const send = (world: DispatcherWorld, delivery = aDelivery({ test: true, schedule: [] })) =>
  world.run(
    Effect.flatMap(
      makeTestSender((one: Delivery) => findReceiver(world.store, one), defaultServiceConfig),
      (sendTest) => sendTest(delivery)
    )
  )

describe("the attempt of a send-test (W9)", () => {
  it("is signed like any attempt, and returns the ended delivery without storing it", async () => {
    const world = await makeWorld()
    world.script.replies = [answered(204)]
    const ended = await send(world)
    expect(ended).toMatchObject({
      state: { _tag: "Delivered", at: startInstant },
      attempts: [{ attempt: 1, at: startInstant, endedAt: startInstant, outcome: "success", statusCode: 204 }]
    })
    expect(Object.keys(headersOf(world.sent[0]!))).toEqual([
      "content-type",
      "user-agent",
      "accept",
      "x-tapedeck-signature",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature"
    ])
    expect(await world.deliveries()).toEqual([])
    expect(await world.run(world.store.agenda.list)).toEqual([])
  })

  it("is made if the automation is disabled, and is not retried", async () => {
    const world = await makeWorld()
    await world.run(world.store.automations.save(anAutomation({ enabled: false })))
    const ended = await send(world)
    expect(ended?.state).toEqual({ _tag: "PermanentlyFailed", at: startInstant })
    expect(world.sent).toHaveLength(1)
  })

  it("reports its end at once, even if that is later in virtual time", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(12_000, answered(200))]
    const ended = await send(world)
    expect(ended?.state).toEqual({ _tag: "Delivered", at: instantAfter(12_000) })
    expect(ended?.attempts[0]).toMatchObject({ at: startInstant, endedAt: instantAfter(12_000) })
  })

  it("has the destination's own timeout", async () => {
    const world = await makeWorld()
    await world.run(world.store.destinations.save(aDestination({ timeoutMs: 300_000 })))
    await send(world, anAuditDelivery({ test: true, schedule: [] }))
    expect(world.sent[0]).toMatchObject({ timeoutMs: 300_000, startedAt: startInstant })
  })

  it("is refused by the guard, and nothing is sent", async () => {
    const world = await makeWorld()
    world.script.blocked = "a private address"
    expect((await send(world))?.attempts).toMatchObject([{ outcome: "blocked", error: "a private address" }])
    expect(world.sent).toEqual([])
  })

  it("is not made if its receiver no longer exists", async () => {
    const world = await makeWorld()
    await world.run(world.store.automations.remove(anAutomation().id))
    expect(await send(world)).toBeNull()
  })
})
