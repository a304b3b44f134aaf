import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Deliveries, type NewDelivery } from "../src/index.ts"
import { acme, anAutomation, instantAfter, startInstant, uuidOf } from "./examples.ts"
import { makeWorld, type UseCaseWorld } from "./useCaseWorld.ts"

const automationId = anAutomation("a").id

const enqueue = (known: Partial<NewDelivery> = {}) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    deliveries.enqueue({
      accountId: acme.id,
      automationId,
      event: "recording.added_to_folder",
      body: "{}",
      ...known
    })
  )

const cancel = Effect.flatMap(Deliveries, (deliveries) => deliveries.cancelOf({ automationId }))

const claim = (world: UseCaseWorld) => world.run(world.store.deliveries.claim({ limit: 1, leaseMs: 60_000 }))

const states = async (world: UseCaseWorld) => (await world.deliveries()).map(({ state }) => state._tag)

describe("enqueueing a delivery", () => {
  it("schedules the first attempt for the present instant, under a new id", async () => {
    const world = await makeWorld()
    await world.setTime(instantAfter(3))
    const ids = [await world.run(enqueue({ recordingUuid: uuidOf(1) })), await world.run(enqueue())]
    expect(new Set(ids).size).toBe(2)
    expect((await world.deliveries())[0]).toMatchObject({
      id: ids[0],
      recordingUuid: uuidOf(1),
      test: false,
      createdAt: instantAfter(3),
      state: { _tag: "Scheduled", dueAt: instantAfter(3) },
      attempts: []
    })
  })

  it("is rolled back with the transaction that caused it", async () => {
    const world = await makeWorld()
    await world.refusal(world.store.transaction(Effect.andThen(enqueue(), Effect.fail("no"))))
    expect(await world.deliveries()).toEqual([])
  })
})

describe("cancelling an automation's deliveries (W11)", () => {
  it("cancels scheduled and retrying deliveries at once, so that none of them is due", async () => {
    const world = await makeWorld()
    await world.run(enqueue())
    const [first] = await claim(world)
    const waiting: Delivery["state"] = {
      _tag: "Waiting",
      retry: 1,
      dueAt: instantAfter(60_000),
      firstAttemptAt: startInstant
    }
    await world.run(world.store.deliveries.settle(first!, () => ({ ...first!.delivery, state: waiting })))
    await world.run(enqueue())
    await world.setTime(instantAfter(10))
    await world.run(cancel)
    const cancelled = { _tag: "Cancelled", at: instantAfter(10) }
    expect((await world.deliveries()).map(({ state }) => state)).toEqual([cancelled, cancelled])
    expect(await world.run(world.store.agenda.list)).toEqual([])
  })

  it("lets an attempt in flight end, and stores the cancellation", async () => {
    const world = await makeWorld()
    await world.run(enqueue())
    const [mine] = await claim(world)
    await world.run(cancel)
    const [delivery] = await world.deliveries()
    expect(delivery?.state).toEqual({ ...mine!.delivery.state, cancelRequested: true })
    expect(await world.run(world.store.deliveries.settle(mine!, () => delivery!))).not.toBeNull()
  })

  it("does not change ended deliveries, nor those of other automations", async () => {
    const world = await makeWorld()
    for (const _tag of ["Delivered", "PermanentlyFailed"] as const) {
      await world.run(enqueue())
      const [one] = await claim(world)
      await world.run(
        world.store.deliveries.settle(one!, () => ({ ...one!.delivery, state: { _tag, at: instantAfter(1) } }))
      )
    }
    await world.run(enqueue({ automationId: anAutomation("b").id }))
    await world.run(enqueue({ automationId: null }))
    await world.run(cancel)
    expect(await states(world)).toEqual(["Delivered", "PermanentlyFailed", "Scheduled", "Scheduled"])
  })

  it("a second cancellation changes nothing", async () => {
    const world = await makeWorld()
    await world.run(enqueue())
    await world.run(cancel)
    const before = await world.deliveries()
    await world.setTime(instantAfter(99))
    await world.run(cancel)
    expect(await world.deliveries()).toEqual(before)
  })
})
