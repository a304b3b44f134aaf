import { AccountId, AutomationId } from "@tapedeck/domain"
import { describe, expect, it } from "vitest"
import { Hands } from "../src/Hands.ts"

const lane = { accountId: AccountId.make(1), receiver: AutomationId.make("a"), first: true }

describe("a hand", () => {
  it("takes another attempt once its receiver has answered, while that is recorded", () => {
    const hands = new Hands({ concurrency: 2, perHost: 1 })
    const one = hands.take(lane)
    expect(one.admit("a.test")).toBe(true)
    const two = hands.take(lane)
    expect(two.admit("a.test")).toBe(false)
    expect(hands.free).toBe(0)
    two.free()
    one.answered()
    expect(hands.free).toBe(2)
    expect(hands.take({ ...lane, receiver: AutomationId.make("b") }).admit("a.test")).toBe(true)
  })

  it("is free once, however often it is told so, and without an answer too", () => {
    const hands = new Hands({ concurrency: 2, perHost: 2 })
    const [one, two] = [hands.take(lane), hands.take(lane)]
    one.answered()
    one.answered()
    one.free()
    two.free()
    expect(hands.free).toBe(2)
  })

  it("waits for the store when as many are to be recorded as there are hands", () => {
    const hands = new Hands({ concurrency: 2, perHost: 9 })
    const made = Array.from({ length: 4 }, () => {
      const hand = hands.take(lane)
      hand.answered()
      return hand
    })
    expect(hands.free).toBe(0)
    made[0]!.free()
    expect(hands.free).toBe(1)
  })
})
