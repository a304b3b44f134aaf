import { Deliveries } from "@tapedeck/core"
import { auditSchedule } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { endingAfter, headersOf, makeWorld } from "./dispatcherWorld.ts"
import { aDelivery, aDestination, anAuditDelivery, anAutomation, answered, instantAfter, timedOut } from "./examples.ts"

/** A folder delivery whose first attempt has just failed. */
const afterFirstAttempt = async () => {
  const world = await makeWorld()
  await world.run(world.store.deliveries.insert(aDelivery()))
  await world.performDue()
  return world
}

const turnOff = (world: Awaited<ReturnType<typeof makeWorld>>) =>
  world.run(world.store.automations.save(anAutomation({ enabled: false })))

const callOff = Effect.flatMap(Deliveries, (deliveries) => deliveries.cancelOf({ automationId: anAutomation().id }))

describe("a retry uses the present configuration (W11)", () => {
  it("uses the present address, method, headers and secret, and the original body", async () => {
    const world = await afterFirstAttempt()
    const changed = { url: "https://moved.test/", method: "PUT", headers: { "X-New": "1" }, secret: "new" } as const
    await world.run(world.store.automations.save(anAutomation({ ...changed, payloadTemplate: '"other"' })))
    await world.setTime(instantAfter(60_000))
    await world.performDue()
    const [first, second] = world.sent
    expect(second!.request).toMatchObject({ url: "https://moved.test/", method: "PUT", body: first!.request.body })
    expect(headersOf(second!)["x-new"]).toBe("1")
    expect(headersOf(second!)["x-tapedeck-signature"]).not.toBe(headersOf(first!)["x-tapedeck-signature"])
    // The log shows what went out, each time.
    expect((await world.delivery()).attempts.map(({ request }) => request?.url)).toEqual([
      "https://receiver.test/hook",
      "https://moved.test/"
    ])
  })

  it("keeps the number of retries of its creation", async () => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(anAuditDelivery({ schedule: auditSchedule(1) })))
    await world.performDue()
    await world.run(world.store.destinations.save(aDestination({ maxRetries: 10 })))
    expect(await world.untilIdle()).toHaveLength(2)
  })
})

describe("a disabled automation (W11)", () => {
  it("sends nothing more between two attempts, and its delivery is cancelled", async () => {
    const world = await afterFirstAttempt()
    await turnOff(world)
    await world.run(callOff)
    expect(await world.untilIdle()).toHaveLength(1)
    expect((await world.delivery()).state).toEqual({ _tag: "Cancelled", at: instantAfter(0) })
  })

  it("is detected at the next attempt if its deliveries are not yet cancelled: nothing is sent or reported", async () => {
    const world = await afterFirstAttempt()
    await turnOff(world)
    await world.setTime(instantAfter(60_000))
    expect(await world.performDue()).toEqual([null])
    expect(world.sent).toHaveLength(1)
    const delivery = await world.delivery()
    expect(delivery.state).toEqual({ _tag: "Cancelled", at: instantAfter(60_000) })
    expect(delivery.attempts).toHaveLength(1)
    expect(await world.run(world.store.agenda.next([]))).toBeUndefined()
  })

  it("lets an attempt in flight end: a success is a success", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(1_000, answered(200))]
    await world.run(world.store.deliveries.insert(aDelivery()))
    await world.performDue()
    await world.run(callOff)
    await world.untilIdle()
    expect((await world.delivery()).state).toEqual({ _tag: "Delivered", at: instantAfter(1_000) })
  })

  it("lets an attempt in flight end: a failure is its last", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(30_000, timedOut)]
    await world.run(world.store.deliveries.insert(aDelivery()))
    await world.performDue()
    await world.run(callOff)
    expect(await world.untilIdle()).toHaveLength(1)
    const delivery = await world.delivery()
    expect(delivery.state).toEqual({ _tag: "Cancelled", at: instantAfter(30_000) })
    expect(delivery.attempts).toMatchObject([{ outcome: "timeout" }])
  })

  it("lets the retry go out if it is enabled again before it", async () => {
    const world = await afterFirstAttempt()
    await turnOff(world)
    await world.run(world.store.automations.save(anAutomation()))
    await world.setTime(instantAfter(60_000))
    expect(await world.performDue()).toMatchObject([{ attempt: 2, outcome: "failure" }])
  })

  it("still sends its send-test (W9)", async () => {
    const world = await makeWorld()
    world.script.replies = [answered(200)]
    await turnOff(world)
    await world.run(world.store.deliveries.insert(aDelivery({ test: true, schedule: [] })))
    expect(await world.performDue()).toMatchObject([{ outcome: "success" }])
  })
})

describe("a receiver that no longer exists", () => {
  it.each([
    ["automation", aDelivery({ automationId: "gone" as never })],
    ["destination", anAuditDelivery({ destinationId: "gone" as never })],
    ["destination, where there is none at all", anAuditDelivery({ destinationId: null })]
  ])("(%s) gets nothing, and the delivery is cancelled", async (_, delivery) => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(delivery))
    expect(await world.performDue()).toEqual([null])
    expect(world.sent).toEqual([])
    expect((await world.delivery()).state._tag).toBe("Cancelled")
  })

  it("does not make a stale worker overwrite what another worker recorded", async () => {
    const world = await makeWorld()
    const { store } = world
    await world.run(store.deliveries.insert(aDelivery()))
    const automation = (await world.run(store.automations.byId(anAutomation().id)))!
    await turnOff(world)
    const [stale] = await world.run(store.deliveries.claim({ limit: 1, leaseMs: 10 }))
    await world.run(store.automations.save(automation))
    await world.setTime(instantAfter(10))
    await world.performDue()
    const settled = await world.delivery()
    expect(await world.run(world.dispatcher.perform(stale!))).toBeNull()
    expect(await world.delivery()).toEqual(settled)
    expect(await world.run(store.agenda.next([]))).toMatchObject({ kind: "attempt" })
  })
})

describe("a URL that the guard refuses", () => {
  it("is sent nothing: the attempt is blocked with its reason, and retried like any failure", async () => {
    const world = await makeWorld()
    world.script.blocked = "a private address"
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.performDue()).toMatchObject([{ attempt: 1, outcome: "blocked", statusCode: null }])
    expect(world.sent).toEqual([])
    const [attempt] = (await world.delivery()).attempts
    expect(attempt).toMatchObject({ outcome: "blocked", statusCode: null, response: null, error: "a private address" })
    expect((await world.delivery()).state).toMatchObject({ _tag: "Waiting", retry: 1, dueAt: instantAfter(60_000) })
  })

  it("is sent to as soon as the guard allows it", async () => {
    const world = await makeWorld()
    world.script.blocked = "a private address"
    await world.run(world.store.deliveries.insert(aDelivery()))
    await world.performDue()
    Object.assign(world.script, { blocked: null, replies: [answered(200)] })
    await world.setTime(instantAfter(60_000))
    expect(await world.performDue()).toMatchObject([{ attempt: 2, outcome: "success" }])
  })
})
