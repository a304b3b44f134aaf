import { DeliveryId } from "@tapedeck/domain"
import type { DeliveryQueue } from "@tapedeck/domain/delivery"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { leaseMs, makeWorker } from "../src/index.ts"
import { InFlight } from "../src/worker/InFlight.ts"
import { renewLeases } from "../src/worker/leases.ts"
import { type DispatcherWorld, makeWorld } from "./dispatcherWorld.ts"
import { aDelivery, answered, instantAfter, startInstant } from "./examples.ts"

const graceMs = 100_000

let world: DispatcherWorld
const workers: Array<Fiber.Fiber<unknown, unknown>> = []
const logged: Array<string> = []
const logger = Logger.make(({ logLevel, message }) => {
  const parts = [message].flat().map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
  logged.push([logLevel, ...parts].join(" "))
})
const ofAttempt = '{"delivery_id":"a","attempt":1}'

beforeEach(async () => {
  world = await makeWorld()
  logged.length = 0
})

afterEach(async () => {
  const stopped = workers.splice(0).map((one) => Effect.runPromise(Fiber.interrupt(one)))
  await settled()
  await world.run(TestClock.adjust(graceMs))
  await Promise.all(stopped)
})

/** Lets everything that can happen at this instant happen. */
const settled = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const pass = async (ms: number) => {
  await world.run(TestClock.adjust(ms))
  await settled()
}

/** A worker, whose queue may answer otherwise than the one that there is. */
const start = async (otherwise: Partial<DeliveryQueue> = {}) => {
  const dispatcher = { ...world.dispatcher, queue: { ...world.dispatcher.queue, ...otherwise } }
  const onAttempt = () => Effect.void
  const worker = Effect.scoped(
    makeWorker(dispatcher, { concurrency: 8, perHost: 4, perNewHost: 4, graceMs, onAttempt })
  )
  const logging = Effect.provide(worker, Logger.layer([logger]))
  workers.push(world.runtime.runFork(logging))
  await settled()
}

const insert = (id = "a") => world.run(world.store.deliveries.insert(aDelivery({ id: DeliveryId.make(id) })))

const answerAfter = (ms: number) => () => Effect.as(Effect.sleep(ms), answered(200))

const starts = () => world.sent.map(({ startedAt }) => startedAt - startInstant)

const inMemory = () => ({ ...world.store.deliveries })

/** From now on the store answers so. */
const answerOtherwise = (otherwise: Partial<DeliveryQueue>) => Object.assign(world.store.deliveries, otherwise)

const outage = Effect.die(new Error("no database"))

describe("a claim", () => {
  it("stays with its worker while the attempt lasts, even if that is longer than a lease and other workers claim", async () => {
    world.script.replies = [answerAfter(300_000)]
    await insert()
    await start()
    await start()
    expect(leaseMs).toBeLessThan(300_000)
    await pass(300_000)
    expect(starts()).toEqual([0])
    expect(await world.delivery()).toMatchObject({
      state: { _tag: "Delivered", at: instantAfter(300_000) },
      attempts: [{ at: startInstant, endedAt: instantAfter(300_000), outcome: "success" }]
    })
    expect(logged).toEqual([])
  })

  it("is renewed three times in a lease, all claims in one call, until its attempt has ended", async () => {
    const { renew } = inMemory()
    const asked: Array<number> = []
    const counted: DeliveryQueue["renew"] = (claims, ms) => {
      asked.push(claims.length)
      return renew(claims, ms)
    }
    world.script.replies = [answerAfter(leaseMs + 1), answerAfter(leaseMs + 1), answered(200)]
    await Promise.all(["a", "b", "c"].map(insert))
    await start({ renew: counted })
    await pass(leaseMs)
    expect(asked).toEqual([2, 2, 2])
    await pass(leaseMs)
    expect(asked).toEqual([2, 2, 2])
  })

  it("is not lost while the store fails for less than two thirds of a lease", async () => {
    const { renew } = inMemory()
    let isAway = false
    world.script.replies = [answerAfter(150_000)]
    await insert()
    await start({ renew: (claims, ms) => (isAway ? outage : renew(claims, ms)) })
    await start()
    for (const _ of [1, 2]) {
      await pass(leaseMs / 3)
      isAway = true
      await pass((leaseMs * 2) / 3 - 1_000)
      isAway = false
      await pass(1_000)
    }
    await pass(150_000)
    expect(starts()).toEqual([0])
    expect((await world.delivery()).state._tag).toBe("Delivered")
    // One line for each outage.
    const said = "Warn leases could not be renewed: store call failed; retrying"
    expect(logged.filter((line) => line.startsWith(said))).toHaveLength(2)
  })

  it("stays with a stopping worker until the end of its grace period", async () => {
    world.script.replies = [answerAfter(graceMs - 1)]
    await insert()
    await start()
    await start()
    const stopped = Effect.runPromise(Fiber.interrupt(workers.shift()!))
    await pass(graceMs - 1)
    await stopped
    expect(starts()).toEqual([0])
    expect((await world.delivery()).state._tag).toBe("Delivered")
  })

  it("is claimed by another worker if its own is suspended for a lease: the retry is on time, and the late outcome is not recorded", async () => {
    const [woken, answering] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const { renew } = inMemory()
    world.script.replies = [() => Effect.as(Deferred.await(answering), answered(500)), answered(200)]
    await insert()
    await start({ renew: (claims, ms) => Effect.andThen(Deferred.await(woken), renew(claims, ms)) })
    await start()
    await pass(leaseMs)
    expect(starts()).toEqual([0, leaseMs])
    const recorded = await world.delivery()
    expect(recorded).toMatchObject({
      state: { _tag: "Delivered", at: instantAfter(leaseMs) },
      attempts: [{ attempt: 1, outcome: "lost" }, { attempt: 2 }]
    })
    for (const next of [woken, answering]) {
      await Effect.runPromise(Deferred.succeed(next, undefined))
      await settled()
    }
    expect(await world.delivery()).toEqual(recorded)
    expect(logged).toEqual([
      `Warn attempt was lost with its worker: it counts as failed ${ofAttempt}`,
      `Warn attempt goes on, but its claim is lost: its lease had ended, and another worker took it over ${ofAttempt}`,
      `Warn attempt ended after its claim was lost: nothing is recorded of it ${ofAttempt}`
    ])
  })
})

describe("the outcome of an attempt", () => {
  it("is recorded as soon as the store answers again, and the receiver is called once", async () => {
    const { renew, settle } = inMemory()
    let isAway = false
    let asked = 0
    answerOtherwise({
      settle: (claim, becomes) =>
        Effect.suspend(() => {
          asked++
          return isAway ? outage : settle(claim, becomes)
        })
    })
    world.script.replies = [
      () =>
        Effect.sync(() => {
          isAway = true
          return answered(200)
        })
    ]
    await insert()
    await start({ renew: (claims, ms) => (isAway ? outage : renew(claims, ms)) })
    await pass(600_000)
    expect((await world.delivery()).state._tag).toBe("Attempting")
    // Every 2 s at the most often, once it has been away for a while.
    expect(asked).toBeGreaterThan(300)
    expect(asked).toBeLessThan(650)
    isAway = false
    await pass(2_000)
    expect(starts()).toEqual([0])
    expect(await world.delivery()).toMatchObject({
      state: { _tag: "Delivered", at: startInstant },
      attempts: [{ outcome: "success", endedAt: startInstant }]
    })
    expect(logged.filter((line) => line.includes(ofAttempt))).toEqual([
      expect.stringMatching(
        /^Warn attempt waits to be recorded: store call failed; retrying until the store answers \{/
      )
    ])
  })

  it("counts as recorded if the store recorded it and its reply was lost", async () => {
    const { settle } = inMemory()
    let asked = 0
    answerOtherwise({
      settle: (claim, becomes) =>
        Effect.suspend(() => (asked++ === 0 ? Effect.andThen(settle(claim, becomes), outage) : settle(claim, becomes)))
    })
    world.script.replies = [answered(500), answered(200)]
    await insert()
    const [claim] = await world.run(world.store.deliveries.claim({ limit: 1, leaseMs }))
    const performing = world.runtime.runFork(Effect.provide(world.dispatcher.perform(claim!), Logger.layer([logger])))
    await settled()
    await pass(100)
    expect(await Effect.runPromise(Fiber.join(performing))).toMatchObject({
      attempt: 1,
      outcome: "failure",
      statusCode: 500,
      delivery: { state: { _tag: "Waiting", retry: 1 }, attempts: [{ attempt: 1, statusCode: 500 }] }
    })
    expect(asked).toBe(2)
    expect(logged).toEqual([])
  })

  it("is given up at the end of the grace period of a stopping worker", async () => {
    answerOtherwise({ settle: () => outage })
    world.script.replies = [answered(200)]
    await insert()
    await start()
    const stopped = Effect.runPromise(Fiber.interrupt(workers.shift()!))
    await pass(graceMs)
    await stopped
    expect(logged.at(-1)).toContain(
      `Error attempt is not recorded: store call failed, and the grace period is over; its lease will end ${ofAttempt}`
    )
    await pass(10_000)
    expect((await world.delivery()).state._tag).toBe("Attempting")
  })

  it("is not recorded again after a permanent error", async () => {
    let asked = 0
    answerOtherwise({
      settle: (claim, becomes) =>
        Effect.sync(() => {
          asked++
          return becomes({ ...claim.delivery, state: { _tag: "Delivered", at: startInstant } }, startInstant)
        })
    })
    world.script.replies = [answered(200)]
    await insert()
    await start()
    await pass(10_000)
    expect(asked).toBe(1)
    expect(logged).toEqual([
      expect.stringContaining(`Error attempt failed unexpectedly; its lease will end ${ofAttempt}`)
    ])
  })
})

it("no lost lease is logged for an attempt that has ended by then", async () => {
  await insert()
  const [claim] = await world.run(world.store.deliveries.claim({ limit: 1, leaseMs }))
  const inFlight = new InFlight({ concurrency: 1, perHost: 1, perNewHost: 1 }, () => 0)
  const attempt = inFlight.add(claim!, world.dispatcher.queue.keyOf(claim!.delivery))
  const asked = Deferred.makeUnsafe<ReadonlyArray<boolean>>()
  const renewing = Effect.scoped(
    Effect.andThen(renewLeases({ renew: () => Deferred.await(asked) }, inFlight), Effect.never)
  )
  workers.push(world.runtime.runFork(Effect.provide(renewing, Logger.layer([logger]))))
  await settled()
  await pass(leaseMs / 3)
  inFlight.end(attempt)
  await world.run(Deferred.succeed(asked, [false]))
  await settled()
  expect(logged).toEqual([])
})
