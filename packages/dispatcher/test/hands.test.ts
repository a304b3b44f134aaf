import { AccountId, AutomationId } from "@tapedeck/domain"
import { describe, expect, it } from "vitest"
import { Hands } from "../src/Hands.ts"

const lane = { accountId: AccountId.make(1), receiver: AutomationId.make("a"), isFirstAttempt: true }

describe("a hand", () => {
  it("takes another attempt once its receiver has answered, while that is recorded", () => {
    const hands = new Hands({ concurrency: 2, perHost: 1 }, () => 0)
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
    const hands = new Hands({ concurrency: 2, perHost: 2 }, () => 0)
    const [one, two] = [hands.take(lane), hands.take(lane)]
    one.answered()
    one.answered()
    one.free()
    two.free()
    expect(hands.free).toBe(2)
  })

  it("waits for the store where more than 256 are to be recorded", () => {
    const hands = new Hands({ concurrency: 2, perHost: 9 }, () => 0)
    const made = Array.from({ length: 258 }, () => {
      const hand = hands.take(lane)
      hand.answered()
      return hand
    })
    expect(hands.free).toBe(0)
    made[0]!.free()
    expect(hands.free).toBe(1)
  })
})

describe("a claim", () => {
  it("is for 512 at most, of which all are dealt that are asked for", () => {
    const hands = new Hands({ concurrency: 1_000, perHost: 1_000 }, () => 0)
    expect(hands.room).toBe(512)
    expect(hands.share([lane])).toEqual([512])
    expect(hands.served(512)).toEqual({ more: false, left: true })
  })

  it("is for as many more as a host has answered of late, and for none that hangs", () => {
    let at = 0
    const hands = new Hands({ concurrency: 4, perHost: 3 }, () => at)
    const made = Array.from({ length: 3 }, () => hands.take(lane))
    for (const hand of made) hand.admit("a.test")
    expect([hands.room, hands.share([lane])]).toEqual([1, [0]])
    for (const hand of made) hand.answered()
    for (const hand of made) hand.free()
    // Three hands are the account's, and as many more will be in as long again.
    expect([hands.room, hands.share([lane])]).toEqual([7, [6]])
    const host = hands.wait(lane)
    expect([host, hands.share([lane])]).toEqual(["a.test", [5]])
    hands.waited(host)
    at = 50
    expect([hands.room, hands.share([lane])]).toEqual([4, [3]])
  })

  it("takes nothing ahead of somebody whose turn comes first, where there are too few hands for all", () => {
    const hands = new Hands({ concurrency: 2, perHost: 2 }, () => 0)
    for (let count = 0; count < 2; count++) {
      const hand = hands.take(lane)
      hand.answered()
      hand.free()
    }
    const others = [2, 3].map((id) => ({
      accountId: AccountId.make(id),
      receiver: AutomationId.make(`of-${id}`),
      isFirstAttempt: true
    }))
    expect(hands.share([lane])).toEqual([4])
    expect(hands.share([lane, ...others])).toEqual([1, 1, 0])
  })
})
