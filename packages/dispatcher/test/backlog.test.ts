import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { accountOf, never, settled, useBacklogs, waitingSince } from "./backlogWorld.ts"
import type { Sent } from "./dispatcherWorld.ts"
import { answered, instantAfter, startInstant, timedOut } from "./examples.ts"

const backlogs = useBacklogs()
const { answers, backlog, beginStop, logged, pass, receiver, sentTo, start, stateOf, stop } = backlogs

describe("a host that does not answer", () => {
  it("occupies at most its slots, whichever receivers use that host, and its backlog does not delay other hosts", async () => {
    answers({ "hangs.test": never })
    await receiver("a", "hangs.test")
    await receiver("b", "hangs.test")
    await receiver("c", "quick.test")
    await backlog(50, "a")
    await backlog(50, "b")
    await backlog(50, "c")
    await start({ concurrency: 32 })
    for (let turn = 0; turn < 30; turn++) await pass(5)
    expect(sentTo("hangs.test")).toBe(4)
    expect(sentTo("quick.test")).toBe(50)
    await pass(1_000)
    // The surplus claims were given back: those deliveries are due, without an attempt.
    const inFlight = (await backlogs.world.deliveries()).filter(({ state }) => state._tag === "Attempting")
    expect(inFlight).toHaveLength(4)
    const waiting = (await backlogs.world.deliveries()).filter(({ state }) => state._tag === "Scheduled")
    expect(waiting).toHaveLength(96)
    expect(waiting.every(({ attempts }) => attempts.length === 0)).toBe(true)
  })

  it.each([3, 10])(
    "leaves slots to a host of the same account that answers, beside others that do not: %i",
    async (count) => {
      const hanging = Array.from({ length: count }, (_, index) => `hangs-${index}.test`)
      answers(Object.fromEntries(hanging.map((host) => [host, never])))
      for (const host of hanging) {
        const id = host.replace(".test", "")
        await receiver(id, host)
        await backlog(50, id)
      }
      await start({ concurrency: 32, perHost: 16, perNewHost: 2 })
      await pass(1_000)
      await receiver("quick", "quick.test")
      await backlog(50, "quick")
      for (let turn = 0; turn < 30; turn++) await pass(5)
      expect(hanging.map(sentTo)).toEqual(hanging.map(() => 2))
      expect(sentTo("quick.test")).toBe(50)
    }
  )

  it("gets more slots as it answers, and few again when it stops", async () => {
    let open = Deferred.makeUnsafe<ReturnType<typeof answered>>()
    answers({ "a.test": () => Effect.suspend(() => Deferred.await(open)) })
    await receiver("a", "a.test")
    await backlog(100, "a")
    await start({ concurrency: 64, perHost: 16, perNewHost: 2 })
    const sent = [sentTo("a.test")]
    const answerAll = async (answer: ReturnType<typeof answered>) => {
      const before = open
      open = Deferred.makeUnsafe()
      await Effect.runPromise(Deferred.succeed(before, answer))
      await pass(5)
      sent.push(sentTo("a.test"))
    }
    for (let round = 0; round < 4; round++) await answerAll(answered(200))
    await answerAll(timedOut)
    await answerAll(answered(200))
    const together = sent.map((count, index) => count - (sent[index - 1] ?? 0))
    expect(together).toEqual([2, 4, 8, 16, 16, 2, 4])
  })

  it("gets the next attempt when one of its slots becomes free", async () => {
    const gates = Array.from({ length: 4 }, () => Deferred.makeUnsafe<void>())
    let nth = 0
    answers({
      "slow.test": () => {
        const gate = gates[nth++]
        return gate === undefined ? Effect.never : Effect.as(Deferred.await(gate), answered(200))
      }
    })
    await receiver("a", "slow.test")
    await backlog(10, "a")
    await start()
    expect(sentTo("slow.test")).toBe(4)
    await Effect.runPromise(Deferred.succeed(gates[2]!, undefined))
    await pass(5)
    expect(sentTo("slow.test")).toBe(5)
  })

  it("keeps the backlog of a receiver with a new URL until one of its attempts ends, and does not delay the new host", async () => {
    answers({ "hangs.test": never })
    await receiver("a", "hangs.test")
    await backlog(10, "a")
    await start()
    await receiver("a", "quick.test")
    for (let turn = 0; turn < 10; turn++) await pass(100)
    // The receiver's host is learned by its next attempt, which begins when one of the old host's ends.
    expect(sentTo("hangs.test")).toBe(4)
    await receiver("b", "quick.test")
    await backlog(3, "b")
    await settled()
    expect(sentTo("quick.test")).toBe(3)
  })
})

describe("a backlog", () => {
  it("does not delay the first attempts of its receiver, if it consists of retries", async () => {
    answers({ "slow.test": () => Effect.as(Effect.sleep(1_000), answered(500)) })
    await receiver("a", "slow.test")
    await backlog(400, "a", { state: waitingSince(0) })
    await start()
    await backlog(1, "a")
    await pass(1_010)
    expect(backlogs.world.sent.map(({ startedAt }) => startedAt - startInstant).length).toBeLessThan(15)
    expect((await stateOf("a-0"))?._tag).not.toBe("Scheduled")
  })

  it("does not delay another account, which gets free slots although no attempt of the backlog has ended", async () => {
    answers({ "a.test": never, "b.test": never, "c.test": never })
    for (const one of ["a", "b", "c"]) {
      await receiver(one, `${one}.test`)
      await backlog(100, one)
    }
    await start({ concurrency: 16, perHost: 8, perNewHost: 8 })
    expect(backlogs.world.sent).toHaveLength(12)
    await receiver("small", "quick.test", 2)
    await backlog(3, "small", accountOf(2))
    await settled()
    expect(sentTo("quick.test")).toBe(3)
  })

  it("does not delay any of many accounts: they get slots in turn", async () => {
    const accounts = Array.from({ length: 40 }, (_, index) => index + 1)
    for (const account of accounts) {
      await receiver(`r${account}`, `h${account}.test`, account)
      await backlog(20, `r${account}`, accountOf(account))
    }
    answers(
      Object.fromEntries(accounts.map((one) => [`h${one}.test`, () => Effect.as(Effect.sleep(10), answered(200))]))
    )
    await start()
    const counts = () => accounts.map((account) => sentTo(`h${account}.test`))
    while (backlogs.world.sent.length < 80) await pass(5)
    expect(Math.max(...counts()) - Math.min(...counts())).toBeLessThanOrEqual(2)
    expect(Math.min(...counts())).toBeGreaterThanOrEqual(1)
  })
})

describe("a backlog whose receivers answer at once", () => {
  const many = { concurrency: 1_000, perHost: 1_000, perNewHost: 1_000 }
  const sent = () => backlogs.world.sent.length
  const tags = async () => new Set((await backlogs.world.deliveries()).map(({ state }) => state._tag))

  /** Claims that take a while, as on a database: for how many each of them is, and how many had been claimed and were sent by then. */
  const watchClaims = (answer: (claims: number) => Effect.Effect<void> = () => Effect.promise(settled)) => {
    const { deliveries } = backlogs.world.store
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

  const quickBacklog = async (count: number) => {
    answers({})
    await receiver("a", "quick.test")
    await backlog(count, "a")
  }

  it("is claimed further as soon as some attempts have started, and each delivery is sent once", async () => {
    await quickBacklog(3_000)
    const asked = watchClaims()
    await start(many)
    for (let turn = 0; turn < 30; turn++) await settled()
    const early = asked.filter(({ claimed, sent }) => sent > 0 && sent < claimed)
    expect(early.length).toBeGreaterThan(0)
    expect([sent(), await tags()]).toEqual([3_000, new Set(["Delivered"])])
  })

  it("is claimed further before all attempts have started, although there is no room for as many at first", async () => {
    await quickBacklog(3_000)
    const asked = watchClaims()
    await start({ concurrency: 600, perHost: 600, perNewHost: 600 })
    for (let turn = 0; turn < 30; turn++) await settled()
    const [, second] = asked
    expect(second!.claimed).toBe(450)
    expect(second!.limit).toBeGreaterThanOrEqual(450)
    expect(second!.sent).toBeGreaterThan(64)
    expect(second!.sent).toBeLessThan(450)
    expect([sent(), await tags()]).toEqual([3_000, new Set(["Delivered"])])
  })

  it("is delivered as far as it was claimed if the store fails during the next claim", async () => {
    await quickBacklog(2_000)
    const asked = watchClaims((claims) =>
      claims === 3 ? Effect.die(new Error("no database")) : Effect.promise(settled)
    )
    await start(many)
    for (let turn = 0; turn < 10; turn++) await settled()
    const { claimed, sent: sentBefore } = asked[2]!
    expect(sentBefore).toBeLessThan(claimed)
    expect([asked.length, sent()]).toEqual([3, claimed])
    expect(logged).toEqual([expect.stringContaining("store call failed; retrying")])
    await pass(1_000)
    for (let turn = 0; turn < 20; turn++) await settled()
    expect([sent(), await tags()]).toEqual([2_000, new Set(["Delivered"])])
  })

  it("is not sent as far as another worker claimed it before its attempts could start", async () => {
    await quickBacklog(700)
    const { deliveries } = backlogs.world.store
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
        passed ??= backlogs.world.run(TestClock.adjust(20_000))
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

  it("leaves nothing in flight when the worker stops while attempts start", async () => {
    await quickBacklog(5_000)
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
    const delivered = (await backlogs.world.deliveries()).filter(({ state }) => state._tag === "Delivered")
    expect(delivered).toHaveLength(sent())
  })
})

describe("a worker that stops", () => {
  const midway = (send: (sent: Sent) => Effect.Effect<ReturnType<typeof answered>>) => {
    answers({ "slow.test": send })
    return receiver("a", "slow.test")
  }

  it("claims nothing more, and waits for the attempts in flight", async () => {
    await midway(() => Effect.as(Effect.sleep(5_000), answered(200)))
    await backlog(6, "a")
    await start()
    const stopped = beginStop()
    await settled()
    await pass(5_000)
    await stopped
    const states = (await backlogs.world.deliveries()).map(({ state }) => state._tag)
    expect(states).toEqual([...Array(4).fill("Delivered"), ...Array(2).fill("Scheduled")])
    expect(logged).toEqual([])
  })

  it("gives back unsent deliveries: they are due at once, and no attempt is counted", async () => {
    await midway(never)
    await backlog(2, "a")
    await backlog(1, "a", { state: waitingSince(0) })
    await start()
    await stop()
    expect(await stateOf("a-0")).toEqual({ _tag: "Scheduled", dueAt: startInstant })
    expect(await stateOf("a-again-0")).toEqual(waitingSince(0))
    expect((await backlogs.world.deliveries()).every(({ attempts }) => attempts.length === 0)).toBe(true)
    answers({})
    await start()
    expect((await backlogs.world.deliveries()).map(({ state }) => state._tag)).toEqual(Array(3).fill("Delivered"))
  })

  it("records an answer that had arrived but was not yet reported", async () => {
    await midway(({ onAnswered, onSent }) => {
      onSent?.()
      onAnswered?.(answered(200))
      return Effect.never
    })
    await backlog(1, "a")
    await start()
    await stop()
    expect(await stateOf("a-0")).toMatchObject({ _tag: "Delivered" })
  })

  it("records an attempt that was sent as failed, because the receiver may have acted on it", async () => {
    await midway(({ onSent }) => {
      onSent?.()
      return Effect.never
    })
    await backlog(1, "a")
    await start()
    await stop()
    const [delivery] = await backlogs.world.deliveries()
    expect(delivery).toMatchObject({
      state: { _tag: "Waiting", retry: 1, dueAt: instantAfter(60_000) },
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
