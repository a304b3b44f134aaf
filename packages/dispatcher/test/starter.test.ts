import { emptyWorld, makeMemoryStore, queueKeyOf } from "@tapedeck/core"
import { AutomationId, DeliveryId } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { AttemptSlot } from "../src/Dispatcher.ts"
import { makeStarter } from "../src/worker/starter.ts"
import { settled } from "./backlogWorld.ts"
import { aDelivery } from "./examples.ts"

/** Attempts that never end, and whether each was admitted to its host. */
const world = (slots = 1_000) => {
  let at = 0
  const started: Array<{ readonly id: string; readonly isAdmitted: boolean; readonly slot: AttemptSlot }> = []
  const perform = ({ delivery: { id } }: Claim, slot?: AttemptSlot) =>
    Effect.suspend(() => {
      started.push({ id, isAdmitted: slot!.admit("a.test"), slot: slot! })
      return Effect.never
    })
  const starter = makeStarter({
    dispatcher: { queue: { ...makeMemoryStore(emptyWorld()).store.deliveries, keyOf: queueKeyOf }, perform },
    limits: { concurrency: slots, perHost: slots, perNewHost: slots },
    run: Effect.runFork,
    nowMs: () => at,
    onRoom: () => {}
  })
  const pass = (ms: number) => {
    at += ms
  }
  const startedIds = () => started.map(({ id }) => id)
  return { pass, started, startedIds, starter }
}

const claimOf = (id: string, automation = "a"): Claim => ({
  delivery: aDelivery({ id: DeliveryId.make(id), automationId: AutomationId.make(automation) }),
  fence: 1,
  reason: "due",
  result: null,
  receiver: null
})

const claims = (count: number): ReadonlyArray<Claim> =>
  Array.from({ length: count }, (_, index) => claimOf(`delivery-${index}`))

const idsOf = (claimed: ReadonlyArray<Claim>) => claimed.map(({ delivery }) => delivery.id)

describe("claimed attempts", () => {
  it("start in their order, 64 at a time, and other work runs in between", async () => {
    const { started, startedIds, starter } = world()
    starter.add(claims(100))
    expect([started.length, starter.isStarting]).toEqual([64, true])
    await settled()
    expect(starter.isStarting).toBe(false)
    expect(startedIds()).toEqual(idsOf(claims(100)))
    expect(started.every(({ isAdmitted }) => isAdmitted)).toBe(true)
  })

  it("start after those of the previous claim", async () => {
    const { started, startedIds, starter } = world()
    const all = claims(100)
    starter.add(all.slice(0, 90))
    starter.add(all.slice(90))
    expect(started).toHaveLength(64)
    await settled()
    expect(startedIds()).toEqual(idsOf(all))
  })

  it("take turns by receiver, and start in their order within each", () => {
    const { startedIds, starter } = world()
    starter.add([claimOf("a1", "a"), claimOf("a2", "a"), claimOf("a3", "a"), claimOf("b1", "b")])
    expect(startedIds()).toEqual(["a1", "b1", "a2", "a3"])
  })

  it("wait until a slot is free", () => {
    const { started, startedIds, starter } = world(2)
    starter.add(claims(3))
    expect(startedIds()).toEqual(idsOf(claims(2)))
    started[0]!.slot.leave("answer")
    expect(startedIds()).toEqual(idsOf(claims(3)))
  })

  it("are given back after they have waited 1 s for a slot", () => {
    const { pass, started, startedIds, starter } = world(2)
    starter.add([claimOf("a1", "a"), claimOf("a2", "a"), claimOf("b1", "b"), claimOf("b2", "b")])
    pass(999)
    starter.add([claimOf("a3", "a")])
    starter.giveBackStale()
    expect(started).toHaveLength(2)
    pass(1)
    starter.giveBackStale()
    expect(started.slice(2)).toMatchObject([
      { id: "a2", isAdmitted: false },
      { id: "b2", isAdmitted: false }
    ])
    started[0]!.slot.leave("answer")
    expect(startedIds().slice(4)).toEqual(["a3"])
  })

  it("are given back instead of sent if the process was suspended for 1 s between their claim and their start", async () => {
    const { pass, started, starter } = world()
    starter.add(claims(100))
    pass(1_000)
    await settled()
    expect(started.map(({ isAdmitted }) => isAdmitted)).toEqual(claims(100).map((_, index) => index < 64))
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
