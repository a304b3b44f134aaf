import { queueKeyOf } from "@tapedeck/core"
import { AutomationId, DeliveryId } from "@tapedeck/domain"
import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Ahead } from "../src/Ahead.ts"
import { Hands } from "../src/Hands.ts"
import { type Attempt, UnderWay } from "../src/underWay.ts"
import { accountOf, settled, useCrowds } from "./crowdWorld.ts"
import { aDelivery, answered } from "./examples.ts"

const crowds = useCrowds()
const { answers, beginStop, crowd, pass, receiver, sentTo, start, stateOf } = crowds

/** Has each claim take so long. */
const slowClaims = (ms: number) => {
  const { deliveries } = crowds.world.store
  const { claim } = deliveries
  Object.assign(deliveries, {
    claim: (options: Parameters<typeof claim>[0]) => Effect.andThen(Effect.sleep(ms), claim(options))
  })
}

const inHand = async () => (await crowds.world.deliveries()).filter(({ state }) => state._tag === "Attempting")
const waiting = async () => (await crowds.world.deliveries()).filter(({ state }) => state._tag === "Scheduled")

/** Answers 200 after so many ms. */
const afterMs = (ms: number) => () => Effect.as(Effect.sleep(ms), answered(200))

const quickly = async (count: number, concurrency = 8) => {
  answers({ "quick.test": afterMs(5) })
  await receiver("a", "quick.test")
  await crowd(count, "a")
  await start({ concurrency, perHost: concurrency })
}

describe("of a host that answers quickly", () => {
  it("more is claimed than there are hands: none waits for a claim", async () => {
    slowClaims(5)
    await quickly(800)
    await pass(5)
    // Nothing is known of its pace yet.
    expect(await inHand()).toHaveLength(6)
    for (let turn = 0; turn < 20; turn++) await pass(5)
    expect((await inHand()).length).toBeGreaterThan(6)
    const sent = sentTo("quick.test")
    for (let turn = 0; turn < 20; turn++) await pass(5)
    // All hands of the account, each time.
    expect(sentTo("quick.test") - sent).toBe(120)
  })

  it("no more attempts are under way at a time than the host may have", async () => {
    let underWay = 0
    let most = 0
    answers({
      "quick.test": () =>
        Effect.sync(() => {
          most = Math.max(most, ++underWay)
        }).pipe(
          Effect.andThen(Effect.sleep(5)),
          Effect.andThen(Effect.sync(() => underWay--)),
          Effect.as(answered(200))
        )
    })
    await receiver("a", "quick.test")
    await receiver("b", "quick.test")
    await crowd(200, "a")
    await crowd(200, "b")
    await start({ concurrency: 16, perHost: 5 })
    for (let turn = 0; turn < 200; turn++) await pass(5)
    expect(sentTo("quick.test")).toBe(400)
    expect(most).toBe(5)
  })

  it("nothing holds up another account, which finds a hand at once", async () => {
    await quickly(2_000)
    for (let turn = 0; turn < 10; turn++) await pass(5)
    await receiver("small", "other.test", 2)
    await crowd(1, "small", accountOf(2))
    await settled()
    expect(sentTo("other.test")).toBe(1)
  })

  it("nothing holds up another host of the account, while what was claimed for it waits", async () => {
    let hangs = false
    answers({ "quick.test": () => (hangs ? Effect.never : Effect.as(Effect.sleep(5), answered(200))) })
    await receiver("a", "quick.test")
    await crowd(300, "a")
    await start({ concurrency: 32, perHost: 8 })
    for (let turn = 0; turn < 10; turn++) await pass(5)
    hangs = true
    for (let turn = 0; turn < 3; turn++) await pass(5)
    expect((await inHand()).length).toBeGreaterThan(8)
    await receiver("b", "other.test")
    await crowd(50, "b")
    await pass(100)
    expect(sentTo("other.test")).toBe(50)
  })
})

describe("what waits for a hand", () => {
  it("is given back when its host hangs: it is due, and no attempt", async () => {
    let hangs = false
    answers({ "quick.test": () => (hangs ? Effect.never : Effect.as(Effect.sleep(5), answered(200))) })
    await receiver("a", "quick.test")
    await crowd(400, "a")
    await start()
    for (let turn = 0; turn < 10; turn++) await pass(5)
    hangs = true
    for (let turn = 0; turn < 3; turn++) await pass(5)
    expect((await inHand()).length).toBeGreaterThan(4)
    const sent = sentTo("quick.test")
    for (let turn = 0; turn < 12; turn++) await pass(100)
    expect(sentTo("quick.test")).toBe(sent)
    expect(await inHand()).toHaveLength(4)
    expect((await waiting()).every(({ attempts }) => attempts.length === 0)).toBe(true)
    expect((await waiting()).length + sent).toBe(400)
  })

  it("is given back at once by a worker that is told to stop", async () => {
    const gate = Deferred.makeUnsafe<void>()
    await quickly(400)
    for (let turn = 0; turn < 10; turn++) await pass(5)
    answers({ "quick.test": () => Effect.as(Deferred.await(gate), answered(200)) })
    await pass(5)
    expect((await inHand()).length).toBeGreaterThan(6)
    const sent = sentTo("quick.test")
    const stopped = beginStop()
    await settled()
    expect(await inHand()).toHaveLength(6)
    await Effect.runPromise(Deferred.succeed(gate, undefined))
    await stopped
    expect(sentTo("quick.test")).toBe(sent)
    expect(await inHand()).toEqual([])
    expect((await waiting()).length + sent).toBe(400)
    expect((await stateOf("a-399"))?._tag).toBe("Scheduled")
  })
})

describe("the queue of what waits", () => {
  const makeAhead = () => {
    let at = 0
    const nowMs = () => at
    const hands = new Hands({ concurrency: 2, perHost: 2 }, nowMs)
    const ahead = new Ahead(hands, nowMs)
    const underWay = new UnderWay()
    const add = (id: string, automation = "a") => {
      const delivery = aDelivery({ id: DeliveryId.make(id), automationId: AutomationId.make(automation) })
      const attempt = underWay.begin({ delivery, fence: 1, reason: "due", result: null, receiver: null })
      ahead.add(attempt)
      return attempt
    }
    const idOf = (attempt: Attempt) => attempt.claim.delivery.id
    const pass = (ms: number) => {
      at += ms
    }
    return { hands, ahead, add, idOf, pass }
  }

  it("has receivers take their turns, and each one's in their order", () => {
    const { add, ahead, idOf } = makeAhead()
    for (const id of ["a1", "a2", "a3"]) add(id, "a")
    add("b1", "b")
    expect([1, 2, 3, 4].map(() => idOf(ahead.next()!.attempt))).toEqual(["a1", "b1", "a2", "a3"])
    expect(ahead.next()).toBeUndefined()
  })

  it("gives nothing while no hand is free", () => {
    const { add, ahead, hands, idOf } = makeAhead()
    const [one] = [hands.take(queueKeyOf(aDelivery())), hands.take(queueKeyOf(aDelivery()))]
    add("a1")
    expect(ahead.next()).toBeUndefined()
    one.answered()
    expect(idOf(ahead.next()!.attempt)).toBe("a1")
  })

  it("tells what waited for too long, as where the process stood still meanwhile", () => {
    const { add, ahead, idOf, pass } = makeAhead()
    add("a1")
    add("a2")
    pass(999)
    add("a3")
    expect(ahead.late()).toEqual([])
    pass(1)
    expect(ahead.next()).toMatchObject({ isLate: true })
    expect(ahead.late().map(idOf)).toEqual(["a2"])
    expect(ahead.next()).toMatchObject({ isLate: false })
  })

  it("tells what lost its lease: it is another's", () => {
    const { add, ahead } = makeAhead()
    add("a1").lease = "lost"
    expect(ahead.next()).toMatchObject({ isLate: true })
  })
})
