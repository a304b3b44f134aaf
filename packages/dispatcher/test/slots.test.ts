import { queueKeyOf } from "@tapedeck/core"
import { AccountId, AutomationId, type Delivery, DeliveryId } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { describe, expect, it } from "vitest"
import { makeAllocator } from "../src/worker/allocator.ts"
import { InFlight } from "../src/worker/InFlight.ts"
import { aDelivery } from "./examples.ts"

let ids = 0

const claimOf = (known: Partial<Delivery> = {}): Claim => ({
  delivery: aDelivery({ id: DeliveryId.make(`delivery-${++ids}`), automationId: AutomationId.make("a"), ...known }),
  fence: 1,
  reason: "due",
  result: null,
  receiver: null
})

/** An attempt that occupies a slot. */
const activate = (inFlight: InFlight, known?: Partial<Delivery>) => {
  const claim = claimOf(known)
  const attempt = inFlight.add(claim, queueKeyOf(claim.delivery))
  inFlight.move(attempt, "active")
  return attempt
}

const { accountId } = aDelivery()
const key = { accountId, receiver: AutomationId.make("a"), isFirstAttempt: true }

describe("a slot", () => {
  it("is free for another attempt once the receiver has answered, while the outcome is recorded", () => {
    const inFlight = new InFlight({ concurrency: 2, perHost: 1, perNewHost: 1 }, () => 0)
    const one = activate(inFlight)
    expect(one.admit("a.test")).toBe(true)
    const two = activate(inFlight)
    expect(two.admit("a.test")).toBe(false)
    expect(inFlight.free).toBe(0)
    inFlight.end(two)
    one.leave("answer")
    expect(inFlight.free).toBe(2)
    expect(activate(inFlight, { automationId: AutomationId.make("b") }).admit("a.test")).toBe(true)
  })

  it("becomes free once per attempt: by the first of repeated answers, or by the end of an attempt without one", () => {
    const inFlight = new InFlight({ concurrency: 2, perHost: 2, perNewHost: 2 }, () => 0)
    const [one, two] = [activate(inFlight), activate(inFlight)]
    one.leave("answer")
    one.leave("answer")
    inFlight.end(one)
    inFlight.end(two)
    expect([inFlight.free, inFlight.attempts]).toEqual([2, []])
  })

  it("waits for the store while more than 256 outcomes are to be recorded", () => {
    const inFlight = new InFlight({ concurrency: 2, perHost: 9, perNewHost: 9 }, () => 0)
    const attempts = Array.from({ length: 258 }, () => {
      const attempt = activate(inFlight)
      attempt.leave("answer")
      return attempt
    })
    expect(inFlight.free).toBe(0)
    inFlight.end(attempts[0]!)
    expect(inFlight.free).toBe(1)
  })

  it("is not given to an attempt that was given back", () => {
    const inFlight = new InFlight({ concurrency: 2, perHost: 2, perNewHost: 2 }, () => 0)
    const attempt = activate(inFlight)
    inFlight.move(attempt, "recording")
    expect([attempt.admit("a.test"), inFlight.free]).toEqual([false, 2])
  })
})

describe("a claim", () => {
  it("takes at most 512 deliveries, and allocates all of them if one queue alone has any", () => {
    const inFlight = new InFlight({ concurrency: 1_000, perHost: 1_000, perNewHost: 1_000 }, () => 0)
    const allocator = makeAllocator(inFlight)
    expect(inFlight.room).toBe(512)
    expect(allocator.allocate([key])).toEqual([512])
    expect(allocator.claimed(512)).toEqual({ isBacklog: true, roomWanted: 512 })
  })

  it("prefetches as many as a host answered in 25 ms, and none of a host that does not answer", () => {
    let at = 0
    const inFlight = new InFlight({ concurrency: 4, perHost: 3, perNewHost: 3 }, () => at)
    const allocator = makeAllocator(inFlight)
    const attempts = Array.from({ length: 3 }, () => activate(inFlight))
    for (const attempt of attempts) attempt.admit("a.test")
    expect([inFlight.room, allocator.allocate([key])]).toEqual([1, [0]])
    for (const attempt of attempts) attempt.leave("answer")
    for (const attempt of attempts) inFlight.end(attempt)
    // Three slots are the account's, and three were answered.
    expect([inFlight.room, allocator.allocate([key])]).toEqual([7, [6]])
    const claim = claimOf()
    const prefetched = inFlight.add(claim, queueKeyOf(claim.delivery))
    expect([prefetched.host, allocator.allocate([key])]).toEqual([attempts[0]?.host, [5]])
    inFlight.end(prefetched)
    at = 50
    expect([inFlight.room, allocator.allocate([key])]).toEqual([4, [3]])
  })

  it("of more receivers than are remembered forgets where those are, and not what hosts have learned", () => {
    const inFlight = new InFlight({ concurrency: 9, perHost: 3, perNewHost: 1 }, () => 0)
    const learn = () => {
      const attempt = activate(inFlight)
      attempt.admit("a.test")
      attempt.leave("answer")
      inFlight.end(attempt)
    }
    learn()
    learn()
    const due = Array.from({ length: 25_000 }, (_, index) => ({ ...key, receiver: AutomationId.make(`due-${index}`) }))
    expect(
      makeAllocator(inFlight)
        .allocate(due)
        .filter((take) => take > 0)
    ).toHaveLength(7)
    const again = Array.from({ length: 4 }, () => activate(inFlight))
    expect(again.map((attempt) => attempt.admit("a.test"))).toEqual([true, true, true, false])
  })

  it("prefetches nothing past an account whose turn for a slot comes first", () => {
    const inFlight = new InFlight({ concurrency: 2, perHost: 2, perNewHost: 2 }, () => 0)
    const allocator = makeAllocator(inFlight)
    for (let count = 0; count < 2; count++) {
      const attempt = activate(inFlight)
      attempt.admit("a.test")
      attempt.leave("answer")
      inFlight.end(attempt)
    }
    const others = [2, 3].map((id) => ({
      accountId: AccountId.make(id),
      receiver: AutomationId.make(`of-${id}`),
      isFirstAttempt: true
    }))
    expect(allocator.allocate([key])).toEqual([4])
    expect(allocator.allocate([key, ...others])).toEqual([1, 1, 0])
  })
})
