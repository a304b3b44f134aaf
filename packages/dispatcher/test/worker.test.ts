import { DeliveryId, type Recording, sampleRecording, type TranscriptStatus } from "@tapedeck/domain"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { leaseMs, makeWorker, type PerformedAttempt, type WorkerOptions } from "../src/index.ts"
import { type DispatcherWorld, makeWorld } from "./dispatcherWorld.ts"
import {
  acme,
  aDelivery,
  anAuditDelivery,
  answered,
  instantAfter,
  minutes,
  recordingUuid,
  startInstant
} from "./examples.ts"

const recordingWithTranscript: Recording = {
  ...sampleRecording(acme.id, startInstant),
  uuid: recordingUuid,
  transcript: {
    status: "unavailable",
    language: null,
    edited: 0,
    processed: 1,
    legacy: false
  }
}

let world: DispatcherWorld
let running: Fiber.Fiber<unknown, unknown>
const logged: Array<string> = []
let onAttempt: WorkerOptions["onAttempt"] | undefined

beforeEach(async () => {
  world = await makeWorld()
  logged.length = 0
  onAttempt = undefined
  const logger = Logger.make(
    ({ cause, logLevel, message }) => void logged.push(`${logLevel} ${JSON.stringify(message)} ${String(cause)}`)
  )
  start = async () => {
    running = world.runtime.runFork(
      Effect.scoped(
        makeWorker(world.dispatcher, {
          ...{ concurrency: 64, perHost: 48, perNewHost: 48, graceMs, steps: world.steps },
          ...(onAttempt !== undefined && { onAttempt })
        })
      ).pipe(Effect.provide(Logger.layer([logger])))
    )
    await settled()
  }
  await start()
})
afterEach(() => stop())

let start: () => Promise<void>

const graceMs = 10_000

/** Tells the worker to stop, and lets its grace pass. */
const stop = async () => {
  const stopped = Effect.runPromise(Fiber.interrupt(running))
  await settled()
  if (running.pollUnsafe() === undefined) await world.run(TestClock.adjust(graceMs))
  await stopped
}

/** Lets everything that can happen at this instant happen. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const pass = async (ms: number) => {
  await world.run(TestClock.adjust(ms))
  await settled()
}

const insert = (...ids: ReadonlyArray<string>) =>
  world.run(
    Effect.forEach(ids, (id) => world.store.deliveries.insert(aDelivery({ id: DeliveryId.make(id) })), {
      discard: true
    })
  )

const insertDue = (id: string, ms: number) => {
  const state = { _tag: "Scheduled", dueAt: instantAfter(ms) } as const
  return world.run(world.store.deliveries.insert(aDelivery({ id: DeliveryId.make(id), state })))
}

const starts = () => world.sent.map(({ startedAt }) => startedAt - startInstant)

describe("the worker", () => {
  it("makes every attempt at exactly the instant when it is due", async () => {
    await pass(123)
    await insert("a")
    await settled()
    await pass(40 * 60_000)
    expect(starts()).toEqual(minutes(0, 1, 6, 36).map((ms) => ms + 123))
  })

  it("starts an attempt at once when it is added to the agenda", async () => {
    await insert("a")
    await settled()
    expect(starts()).toEqual([0])
    await insert("b", "c")
    await settled()
    expect(starts()).toEqual([0, 0, 0])
  })

  it("starts an attempt that is added to the agenda before the one that it waits for", async () => {
    await insertDue("late", 900)
    await settled()
    await insertDue("early", 500)
    await settled()
    await pass(950)
    expect(starts()).toEqual([500, 900])
  })

  it("finds due work within a second if it was not notified", async () => {
    await stop()
    Object.assign(world.store.agenda, { changed: Effect.never })
    await start()
    await insertDue("a", 10_500)
    await pass(10_499)
    expect(starts()).toEqual([])
    await pass(501)
    expect(starts()).toHaveLength(1)
  })

  it("asks an idle store once a second for deliveries, jobs and what is due next", async () => {
    const calls = { deliveries: 0, jobs: 0, agenda: 0 }
    const { agenda, deliveries, jobs } = world.store
    const counted =
      <Args extends ReadonlyArray<unknown>, A>(name: keyof typeof calls, call: (...args: Args) => A) =>
      (...args: Args) => {
        calls[name]++
        return call(...args)
      }
    Object.assign(deliveries, { claim: counted("deliveries", deliveries.claim) })
    Object.assign(jobs, { claim: counted("jobs", jobs.claim) })
    Object.assign(agenda, { next: counted("agenda", agenda.next) })
    await pass(60_000)
    expect(calls).toEqual({ deliveries: 60, jobs: 60, agenda: 60 })
  })

  it("takes the steps of a transcript when they are due", async () => {
    const step = (ms: number, status: TranscriptStatus) =>
      world.store.jobs.enqueue({
        kind: "transcript",
        id: jobIds.transcript(recordingUuid, ms),
        queueKey: "step:1:",
        recordingUuid,
        status,
        failedTries: 0,
        dueAt: instantAfter(ms)
      })
    await world.run(
      Effect.all([
        world.store.recordings.save(recordingWithTranscript),
        step(1_000, "processing"),
        step(2_500, "ready")
      ])
    )
    const status = async () => (await world.run(world.store.recordings.byUuid(recordingUuid)))?.transcript?.status
    await pass(999)
    expect(await status()).toBe("unavailable")
    await pass(1)
    expect(await status()).toBe("processing")
    await pass(1_500)
    expect(await status()).toBe("ready")
  })

  it("looks for jobs once a second while the next one is due later, however many deliveries arrive", async () => {
    await stop()
    world.script.replies = [answered(200)]
    const later = jobIds.transcript(recordingUuid, 0)
    await world.run(
      world.store.jobs.enqueue({
        ...{ kind: "transcript", id: later, queueKey: "step:1:", recordingUuid, status: "ready", failedTries: 0 },
        dueAt: instantAfter(3_600_000)
      })
    )
    const { claim } = world.store.jobs
    let looks = 0
    Object.assign(world.store.jobs, {
      claim: (options: Parameters<typeof claim>[0]) => {
        looks++
        return claim(options)
      }
    })
    await start()
    for (let n = 0; n < 20; n++) {
      await insert(`at ${n}`)
      await pass(100)
    }
    expect(looks).toBeLessThanOrEqual(4)
  })

  it("claims again at once while a backlog lasts, and starts jobs in between", async () => {
    await stop()
    world.script.replies = [answered(200)]
    await insert(...Array.from({ length: 3_000 }, (_, index) => String(index)))
    const { claim } = world.store.deliveries
    const jobs = world.store.jobs
    const claimJobs = jobs.claim
    let claims = 0
    let claimsBefore: number | undefined
    Object.assign(world.store.deliveries, {
      claim: (options: Parameters<typeof claim>[0]) => {
        claims++
        // Meanwhile the attempts in flight end.
        return Effect.andThen(Effect.promise(settled), claim(options))
      }
    })
    Object.assign(jobs, {
      claim: (options: Parameters<typeof claimJobs>[0]) => {
        claimsBefore ??= claims
        return claimJobs(options)
      }
    })
    await start()
    for (let turn = 0; turn < 30; turn++) await settled()
    expect(claimsBefore).toBe(1)
    expect(claims).toBeGreaterThan(8)
  })

  it("never has more active attempts than slots, and starts the next when one ends", async () => {
    const gate = Deferred.makeUnsafe<void>()
    let active = 0
    let most = 0
    world.script.replies = [
      () =>
        Effect.gen(function* () {
          most = Math.max(most, ++active)
          yield* Deferred.await(gate)
          active--
          return answered(200)
        })
    ]
    await insert(...Array.from({ length: 200 }, (_, index) => `delivery-${index}`))
    await settled()
    // Of 64 slots; the rest is free for other accounts.
    expect([world.sent.length, active]).toEqual([48, 48])
    await Effect.runPromise(Deferred.succeed(gate, undefined))
    for (let turn = 0; turn < 10; turn++) await pass(5)
    expect([world.sent.length, active, most]).toEqual([200, 0, 48])
    const states = (await world.deliveries()).map(({ state }) => state._tag)
    expect(new Set(states)).toEqual(new Set(["Delivered"]))
  })

  it("is not delayed by a slow attempt", async () => {
    world.script.replies = [() => Effect.as(Effect.sleep(30_000), answered(200)), answered(200)]
    await insert("slow")
    await settled()
    await insert("quick")
    await settled()
    const [slow, quick] = await world.deliveries()
    expect([slow?.state._tag, quick?.state._tag]).toEqual(["Attempting", "Delivered"])
    await pass(30_000)
    expect((await world.deliveries())[0]).toMatchObject({
      state: { _tag: "Delivered", at: instantAfter(30_000) },
      attempts: [{ at: startInstant, endedAt: instantAfter(30_000) }]
    })
  })

  it("survives a defect in an attempt, which counts as lost when its lease ends and is retried", async () => {
    world.script.replies = [() => Effect.die(new Error("a defect")), answered(200)]
    await insert("broken", "whole")
    await settled()
    const states = async () => (await world.deliveries()).map(({ state }) => state._tag)
    expect(await states()).toEqual(["Attempting", "Delivered"])
    expect(logged).toEqual([
      expect.stringContaining('"attempt failed unexpectedly; its lease will end",{"delivery_id":"broken","attempt":1}')
    ])
    await pass(leaseMs - 1)
    expect(await states()).toEqual(["Attempting", "Delivered"])
    await pass(1)
    expect(await states()).toEqual(["Delivered", "Delivered"])
  })

  it("survives a store that fails, and claims again within a second", async () => {
    await stop()
    let broken = true
    const { store } = world
    const claim = store.deliveries.claim
    Object.assign(store.deliveries, {
      claim: (options: Parameters<typeof claim>[0]) => (broken ? Effect.die(new Error("no database")) : claim(options))
    })
    await start()
    await insert("a")
    await settled()
    expect(starts()).toEqual([])
    expect(logged[0]).toContain("store call failed; retrying")
    broken = false
    await pass(1_000)
    expect(starts()).toEqual([1_000])
  })

  it("logs each attempt by default: a success at Debug, a failure at Info with its reason", async () => {
    world.script.replies = [answered(500), answered(200)]
    await insert("a")
    await settled()
    expect(logged).toEqual([
      expect.stringMatching(
        /^Info .*"attempt failed",\{"delivery_id":"a","attempt":1,"outcome":"failure","status":500,/
      )
    ])
    expect(logged[0]).toContain('"state":"waiting"')
    await pass(60_000)
    // The default minimum level is Info.
    expect(logged).toHaveLength(1)
  })

  it("calls onAttempt with each recorded outcome, and survives its defects", async () => {
    await stop()
    const reported: Array<PerformedAttempt> = []
    onAttempt = (attempt) => {
      reported.push(attempt)
      return reported.length === 1 ? Effect.die(new Error("a defect")) : Effect.void
    }
    await start()
    world.script.replies = [answered(500), answered(200)]
    await insert("a")
    await settled()
    expect((await world.deliveries()).map(({ state }) => state._tag)).toEqual(["Waiting"])
    await pass(60_000)
    expect(reported).toMatchObject([
      { attempt: 1, outcome: "failure", statusCode: 500, delivery: { state: { _tag: "Waiting" } } },
      { attempt: 2, outcome: "success", statusCode: 200, delivery: { state: { _tag: "Delivered" } } }
    ])
    expect(logged).toEqual([expect.stringContaining('"onAttempt failed",{"delivery_id":"a"}')])
  })

  it("delivers audit entries and folder events", async () => {
    world.script.replies = [answered(200)]
    await world.run(world.store.deliveries.insert(anAuditDelivery({ id: DeliveryId.make("audit's") })))
    await insert("folder's")
    await settled()
    expect((await world.deliveries()).map(({ state }) => state._tag)).toEqual(["Delivered", "Delivered"])
  })
})
