import { emptyWorld, makeMemoryStore, queueKeyOf } from "@tapedeck/core"
import { DeliveryId } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { AttemptSlot } from "../src/Dispatcher.ts"
import { makeStarter } from "../src/worker/starter.ts"
import { settled } from "./backlogWorld.ts"
import { aDelivery } from "./examples.ts"

/** Attempts that never end, and whether each was admitted to its host. */
const world = () => {
  const started: Array<{ readonly id: string; readonly isAdmitted: boolean }> = []
  const perform = ({ delivery }: Claim, slot?: AttemptSlot) =>
    Effect.suspend(() => {
      started.push({ id: delivery.id, isAdmitted: slot?.admit("a.test") === true })
      return Effect.never
    })
  const starter = makeStarter({
    dispatcher: { queue: { ...makeMemoryStore(emptyWorld()).store.deliveries, keyOf: queueKeyOf }, perform },
    limits: { concurrency: 1_000, perHost: 1_000, perNewHost: 1_000 },
    run: Effect.runFork,
    nowMs: () => 0,
    onRoom: () => {}
  })
  return { started, starter }
}

const claims = (count: number): ReadonlyArray<Claim> =>
  Array.from({ length: count }, (_, index) => ({
    delivery: aDelivery({ id: DeliveryId.make(`delivery-${index}`) }),
    fence: 1,
    reason: "due" as const,
    result: null,
    receiver: null
  }))

describe("claimed attempts", () => {
  it("start in their order, 64 at a time, and other work runs in between", async () => {
    const { started, starter } = world()
    starter.add(claims(100))
    expect([started.length, starter.isStarting]).toEqual([64, true])
    await settled()
    expect(starter.isStarting).toBe(false)
    expect(started).toEqual(claims(100).map(({ delivery: { id } }) => ({ id, isAdmitted: true })))
  })

  it("start after those of the previous claim", async () => {
    const { started, starter } = world()
    const all = claims(100)
    starter.add(all.slice(0, 90))
    starter.add(all.slice(90))
    expect(started).toHaveLength(64)
    await settled()
    expect(started.map(({ id }) => id)).toEqual(all.map(({ delivery: { id } }) => id))
  })

  it("are given back when the worker stops, with a slot or without one, unless they have started", async () => {
    const { started, starter } = world()
    starter.add(claims(900))
    starter.giveBackAll()
    expect(started).toHaveLength(900)
    expect(started.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(64)
    await settled()
    expect(started).toHaveLength(900)
  })
})
