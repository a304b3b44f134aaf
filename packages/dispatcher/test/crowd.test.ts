import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { accountOf, never, settled, useCrowds, waitingSince } from "./crowdWorld.ts"
import type { Sent } from "./dispatcherWorld.ts"
import { after, answered, startInstant } from "./examples.ts"

const crowds = useCrowds()
const { answers, beginStop, crowd, logged, pass, receiver, sentTo, start, stateOf, stop } = crowds

describe("a host that hangs", () => {
  it("has no more than its hands, whichever receivers lead there, and others are not held up by its crowd", async () => {
    answers({ "hangs.test": never })
    await receiver("a", "hangs.test")
    await receiver("b", "hangs.test")
    await receiver("c", "quick.test")
    await crowd(50, "a")
    await crowd(50, "b")
    await crowd(50, "c")
    await start({ concurrency: 32 })
    for (let turn = 0; turn < 30; turn++) await pass(5)
    expect(sentTo("hangs.test")).toBe(4)
    expect(sentTo("quick.test")).toBe(50)
    await pass(1_000)
    // What was taken beyond that was given back: nothing of it is known but that it is due.
    const inHand = (await crowds.world.deliveries()).filter(({ state }) => state._tag === "Attempting")
    expect(inHand).toHaveLength(4)
    const waiting = (await crowds.world.deliveries()).filter(({ state }) => state._tag === "Scheduled")
    expect(waiting).toHaveLength(96)
    expect(waiting.every(({ attempts }) => attempts.length === 0)).toBe(true)
  })

  it("gets the next attempt as one of its hands is free", async () => {
    const gates = Array.from({ length: 4 }, () => Deferred.makeUnsafe<void>())
    let nth = 0
    answers({
      "slow.test": () => {
        const gate = gates[nth++]
        return gate === undefined ? Effect.never : Effect.as(Deferred.await(gate), answered(200))
      }
    })
    await receiver("a", "slow.test")
    await crowd(10, "a")
    await start()
    expect(sentTo("slow.test")).toBe(4)
    await Effect.runPromise(Deferred.succeed(gates[2]!, undefined))
    await pass(5)
    expect(sentTo("slow.test")).toBe(5)
  })

  it("is another one once the automation's URL says so", async () => {
    answers({ "hangs.test": never })
    await receiver("a", "hangs.test")
    await crowd(10, "a")
    await start()
    await receiver("a", "quick.test")
    for (let turn = 0; turn < 10; turn++) await pass(100)
    // The receiver's host is learned by its next attempt, which begins when one of the old host's ends.
    expect(sentTo("hangs.test")).toBe(4)
    await receiver("b", "quick.test")
    await crowd(3, "b")
    await settled()
    expect(sentTo("quick.test")).toBe(3)
  })
})

describe("what has waited long does not hold up", () => {
  it("a first attempt, if it is a crowd of retries", async () => {
    answers({ "slow.test": () => Effect.as(Effect.sleep(1_000), answered(500)) })
    await receiver("a", "slow.test")
    await crowd(400, "a", { state: waitingSince(0) })
    await start()
    await crowd(1, "a")
    await pass(1_010)
    expect(crowds.world.sent.map(({ startedAt }) => startedAt - startInstant).length).toBeLessThan(15)
    expect((await stateOf("a-0"))?._tag).not.toBe("Scheduled")
  })

  it("another account, which finds hands free though nothing of the flood has ended", async () => {
    answers({ "a.test": never, "b.test": never, "c.test": never })
    for (const one of ["a", "b", "c"]) {
      await receiver(one, `${one}.test`)
      await crowd(100, one)
    }
    await start({ concurrency: 16, perHost: 8 })
    expect(crowds.world.sent).toHaveLength(12)
    await receiver("small", "quick.test", 2)
    await crowd(3, "small", accountOf(2))
    await settled()
    expect(sentTo("quick.test")).toBe(3)
  })

  it("any account of many: each has its turn", async () => {
    const accounts = Array.from({ length: 40 }, (_, index) => index + 1)
    for (const account of accounts) {
      await receiver(`r${account}`, `h${account}.test`, account)
      await crowd(20, `r${account}`, accountOf(account))
    }
    answers(
      Object.fromEntries(accounts.map((one) => [`h${one}.test`, () => Effect.as(Effect.sleep(10), answered(200))]))
    )
    await start()
    const rounds = () => accounts.map((account) => sentTo(`h${account}.test`))
    while (crowds.world.sent.length < 80) await pass(5)
    expect(Math.max(...rounds()) - Math.min(...rounds())).toBeLessThanOrEqual(2)
    expect(Math.min(...rounds())).toBeGreaterThanOrEqual(1)
  })
})

describe("a crowd that is kept up with", () => {
  const many = { concurrency: 1_000, perHost: 1_000 }
  const sent = () => crowds.world.sent.length
  const tags = async () => new Set((await crowds.world.deliveries()).map(({ state }) => state._tag))

  /** Claims that take a while, as on a database: for how many each of them is, and how many had been claimed and were sent by then. */
  const watchClaims = (answer: (claims: number) => Effect.Effect<void> = () => Effect.promise(settled)) => {
    const { deliveries } = crowds.world.store
    const { claim } = deliveries
    const asked: Array<{ readonly limit: number; readonly claimed: number; readonly sent: number }> = []
    let claimed = 0
    Object.assign(deliveries, {
      claim: (options: Parameters<typeof claim>[0]) =>
        Effect.suspend(() => {
          asked.push({ limit: options.limit, claimed, sent: sent() })
          return Effect.tap(Effect.andThen(answer(asked.length), claim(options)), ({ length }) =>
            Effect.sync(() => {
              claimed += length
            })
          )
        })
    })
    return asked
  }

  const quickCrowd = async (count: number) => {
    answers({})
    await receiver("a", "quick.test")
    await crowd(count, "a")
  }

  it("is asked for again as soon as some of it have begun, and each of it is sent once", async () => {
    await quickCrowd(3_000)
    const asked = watchClaims()
    await start(many)
    for (let turn = 0; turn < 30; turn++) await settled()
    const early = asked.filter(({ claimed, sent }) => sent > 0 && sent < claimed)
    expect(early.length).toBeGreaterThan(0)
    expect([sent(), await tags()]).toEqual([3_000, new Set(["Delivered"])])
  })

  it("is asked for again before all of it have begun, though there is no room for as many at first", async () => {
    await quickCrowd(3_000)
    const asked = watchClaims()
    await start({ concurrency: 600, perHost: 600 })
    for (let turn = 0; turn < 30; turn++) await settled()
    const [, second] = asked
    expect(second!.claimed).toBe(450)
    expect(second!.limit).toBeGreaterThanOrEqual(450)
    expect(second!.sent).toBeGreaterThan(64)
    expect(second!.sent).toBeLessThan(450)
    expect([sent(), await tags()]).toEqual([3_000, new Set(["Delivered"])])
  })

  it("begins and ends as far as it was claimed where the store breaks off the next claim", async () => {
    await quickCrowd(2_000)
    const asked = watchClaims((claims) =>
      claims === 3 ? Effect.die(new Error("no database")) : Effect.promise(settled)
    )
    await start(many)
    for (let turn = 0; turn < 10; turn++) await settled()
    const { claimed, sent: sentBefore } = asked[2]!
    expect(sentBefore).toBeLessThan(claimed)
    expect([asked.length, sent()]).toEqual([3, claimed])
    expect(logged).toEqual([expect.stringContaining("the store broke off; asking it again")])
    await pass(1_000)
    for (let turn = 0; turn < 20; turn++) await settled()
    expect([sent(), await tags()]).toEqual([2_000, new Set(["Delivered"])])
  })

  it("does not send what another took over before it could begin", async () => {
    await quickCrowd(700)
    const { deliveries } = crowds.world.store
    const { claim } = deliveries
    let claims = 0
    Object.assign(deliveries, {
      claim: (options: Parameters<typeof claim>[0]) => (claims++ === 0 ? claim(options) : Effect.succeed([])),
      renew: (claims: ReadonlyArray<unknown>) => Effect.succeed(claims.map(() => false))
    })
    let passed: Promise<unknown> | undefined
    answers({
      "quick.test": () => {
        // The worker stood still for so long: its leases are to be renewed, and are lost.
        passed ??= crowds.world.run(TestClock.adjust(20_000))
        return Effect.never
      }
    })
    await start(many)
    await passed
    await settled()
    const lost = logged.filter((line) => line.includes("its claim is lost")).length
    expect(lost).toBe(512)
    expect(sent()).toBeGreaterThan(0)
    expect(sent()).toBeLessThan(512)
  })

  it("has nothing left in hand where the worker is told to stop while it begins", async () => {
    await quickCrowd(5_000)
    const asked = watchClaims()
    let stopped: Promise<unknown> | undefined
    answers({
      "quick.test": () => {
        if (asked.length > 2) stopped ??= beginStop()
        return Effect.succeed(answered(200))
      }
    })
    await start(many)
    for (let turn = 0; turn < 30; turn++) await settled()
    await stopped
    expect(sent()).toBeLessThan(5_000)
    expect(await tags()).toEqual(new Set(["Delivered", "Scheduled"]))
    const delivered = (await crowds.world.deliveries()).filter(({ state }) => state._tag === "Delivered")
    expect(delivered).toHaveLength(sent())
  })
})

describe("a worker that is told to stop", () => {
  const midway = (send: (sent: Sent) => Effect.Effect<ReturnType<typeof answered>>) => {
    answers({ "slow.test": send })
    return receiver("a", "slow.test")
  }

  it("claims nothing more, and lets what is in hand end", async () => {
    await midway(() => Effect.as(Effect.sleep(5_000), answered(200)))
    await crowd(6, "a")
    await start()
    const stopped = beginStop()
    await settled()
    await pass(5_000)
    await stopped
    const states = (await crowds.world.deliveries()).map(({ state }) => state._tag)
    expect(states).toEqual([...Array(4).fill("Delivered"), ...Array(2).fill("Scheduled")])
    expect(logged).toEqual([])
  })

  it("gives back what was not sent yet: due at once, and no attempt", async () => {
    await midway(never)
    await crowd(2, "a")
    await crowd(1, "a", { state: waitingSince(0) })
    await start()
    await stop()
    expect(await stateOf("a-0")).toEqual({ _tag: "Scheduled", dueAt: startInstant })
    expect(await stateOf("a-again-0")).toEqual(waitingSince(0))
    expect((await crowds.world.deliveries()).every(({ attempts }) => attempts.length === 0)).toBe(true)
    answers({})
    await start()
    expect((await crowds.world.deliveries()).map(({ state }) => state._tag)).toEqual(Array(3).fill("Delivered"))
  })

  it("records what was answered, though that was to be told later", async () => {
    await midway(({ onAnswered, onSent }) => {
      onSent?.()
      onAnswered?.(answered(200))
      return Effect.never
    })
    await crowd(1, "a")
    await start()
    await stop()
    expect(await stateOf("a-0")).toMatchObject({ _tag: "Delivered" })
  })

  it("records as failed what was on its way: the receiver may have acted on it", async () => {
    await midway(({ onSent }) => {
      onSent?.()
      return Effect.never
    })
    await crowd(1, "a")
    await start()
    await stop()
    const [delivery] = await crowds.world.deliveries()
    expect(delivery).toMatchObject({
      state: { _tag: "Waiting", retry: 1, dueAt: after(60_000) },
      attempts: [
        {
          attempt: 1,
          outcome: "reset",
          statusCode: null,
          response: null,
          error: "the server stopped before the response was complete",
          request: { url: "https://slow.test/a" }
        }
      ]
    })
  })
})
