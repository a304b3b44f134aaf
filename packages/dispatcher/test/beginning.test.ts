import type { Claim } from "@tapedeck/core"
import { DeliveryId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeBeginning } from "../src/beginning.ts"
import type { AttemptHand } from "../src/Dispatcher.ts"
import { Hands } from "../src/Hands.ts"
import { UnderWay } from "../src/underWay.ts"
import { settled } from "./crowdWorld.ts"
import { aDelivery } from "./examples.ts"

/** Attempts that never end, and whether each was let go to its host. */
const world = () => {
  const begun: Array<{ readonly id: string; readonly admitted: boolean }> = []
  const perform = ({ delivery }: Claim, hand?: AttemptHand) =>
    Effect.suspend(() => {
      begun.push({ id: delivery.id, admitted: hand?.admit("a.test") === true })
      return Effect.never
    })
  const nowMs = () => 0
  const beginning = makeBeginning({
    dispatcher: { perform },
    hands: new Hands({ concurrency: 1_000, perHost: 1_000 }, nowMs),
    underWay: new UnderWay(),
    run: Effect.runFork,
    nowMs,
    freed: () => {}
  })
  return { begun, beginning }
}

const claims = (count: number): ReadonlyArray<Claim> =>
  Array.from({ length: count }, (_, index) => ({
    delivery: aDelivery({ id: DeliveryId.make(`delivery-${index}`) }),
    fence: 1,
    reason: "due" as const,
    result: null,
    receiver: null
  }))

describe("what is claimed", () => {
  it("begins 64 at a time, with a turn for others in between, and in its order", async () => {
    const { begun, beginning } = world()
    beginning.begin(claims(100))
    expect([begun.length, beginning.isUnderWay]).toEqual([64, true])
    await settled()
    expect(beginning.isUnderWay).toBe(false)
    expect(begun).toEqual(claims(100).map(({ delivery: { id } }) => ({ id, admitted: true })))
  })

  it("begins behind what came before it", async () => {
    const { begun, beginning } = world()
    const all = claims(100)
    beginning.begin(all.slice(0, 90))
    beginning.begin(all.slice(90))
    expect(begun).toHaveLength(64)
    await settled()
    expect(begun.map(({ id }) => id)).toEqual(all.map(({ delivery: { id } }) => id))
  })

  it("is given back where all is, as far as it has not begun: with a hand, or waiting for one", async () => {
    const { begun, beginning } = world()
    beginning.begin(claims(900))
    beginning.giveAllBack()
    expect(begun).toHaveLength(900)
    expect(begun.filter(({ admitted }) => admitted)).toHaveLength(64)
    await settled()
    expect(begun).toHaveLength(900)
  })
})
