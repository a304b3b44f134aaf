import type { JobPool, MediaJob } from "@tapedeck/domain/internal/jobs"
import { Deferred, Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  emptyWorld,
  type JobHandlers,
  type JobRunner,
  jobLeaseMs,
  makeJobRunner,
  makeMemoryStore,
  repeating,
  type Store,
  type StorePart,
  scheduleRepeating,
  storeLayer
} from "../src/index.ts"
import { uuidOf } from "./examples.ts"

const aJob = (recording: number, queueKey = "media:1:"): MediaJob => ({
  id: `process ${recording}`,
  queueKey,
  kind: "process",
  recordingUuid: uuidOf(recording),
  fileId: "file",
  maxSeconds: null,
  failedTries: 0,
  dueAt: 0 as MediaJob["dueAt"]
})

const slots: Readonly<Record<JobPool, number>> = { mail: 0, media: 2, capture: 0, step: 1, upkeep: 1 }

/** Runs the body with a store, its runner and the log, in the time of the test. */
const running = <A>(
  handlersOn: (store: Store) => JobHandlers<StorePart<"jobs">>,
  body: (world: {
    readonly store: Store
    readonly runner: JobRunner
    readonly log: ReadonlyArray<string>
    /** Ends the scope of the runner, as a process that stops does. */
    readonly stop: Effect.Effect<void>
  }) => Effect.Effect<A, never, StorePart<"jobs">>
) => {
  const { store } = makeMemoryStore(emptyWorld())
  const log: Array<string> = []
  const logger = Logger.make(
    ({ message }) =>
      void log.push(
        [message]
          .flat()
          .map((part) => JSON.stringify(part))
          .join(" ")
      )
  )
  return Effect.gen(function* () {
    const scope = yield* Scope.make()
    const runner = yield* Scope.provide(makeJobRunner(handlersOn(store), slots), scope)
    return yield* body({ store, runner, log, stop: Scope.close(scope, Exit.void) })
  }).pipe(
    Effect.provide(Layer.mergeAll(storeLayer(store), Logger.layer([logger]), TestClock.layer())),
    Effect.scoped,
    Effect.runPromise
  )
}

/** Lets started jobs go on as far as they can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("A runner of jobs", () => {
  it("starts as many jobs of a pool as it has free slots, and reports a slot that is freed", async () => {
    const gate = Deferred.makeUnsafe<void>()
    const begun: Array<string> = []
    await running(
      ({ jobs }) => ({
        process: (claim) =>
          Effect.sync(() => void begun.push(claim.job.id)).pipe(
            Effect.andThen(claim.job.id === "process 1" ? Deferred.await(gate) : Effect.never),
            Effect.andThen(Effect.asVoid(jobs.finish(claim)))
          )
      }),
      ({ runner, store }) =>
        Effect.gen(function* () {
          expect(runner.openPools()).toEqual(["media", "step", "upkeep"])
          expect(yield* runner.start).toBe(false)
          yield* Effect.forEach([aJob(1), aJob(2), aJob(3)], store.jobs.enqueue)
          expect(yield* runner.start).toBe(true)
          yield* settled
          expect(begun).toEqual(["process 1", "process 2"])
          expect(runner.openPools()).toEqual(["step", "upkeep"])
          expect(yield* runner.start).toBe(false)
          yield* Deferred.succeed(gate, undefined)
          yield* runner.slotFreed
          expect(runner.openPools()).toEqual(["media", "step", "upkeep"])
          expect(yield* runner.start).toBe(true)
          yield* settled
          expect(begun).toEqual(["process 1", "process 2", "process 3"])
        })
    )
  })

  it("renews the lease of a job while it runs, and stops a job that another worker has", async () => {
    let stopped = 0
    await running(
      () => ({ process: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped++)) }),
      ({ runner, store }) =>
        Effect.gen(function* () {
          yield* store.jobs.enqueue(aJob(1))
          yield* runner.start
          yield* settled
          for (let minutes = 0; minutes < 5; minutes++) {
            for (let thirds = 0; thirds < 3; thirds++) yield* TestClock.adjust(jobLeaseMs / 3)
            expect(yield* store.jobs.claim({ slots, leaseMs: 1 })).toEqual([])
          }
          expect(stopped).toBe(0)
          yield* store.jobs.enqueue(aJob(1))
          const [theirs] = yield* store.jobs.claim({ slots, leaseMs: jobLeaseMs })
          yield* TestClock.adjust(jobLeaseMs / 3)
          yield* settled
          expect(stopped).toBe(1)
          expect(yield* store.jobs.finish(theirs!)).toBe(true)
        })
    )
  })

  it("returns its jobs to the queue when it stops, for another worker at once", async () => {
    await running(
      () => ({ process: () => Effect.never }),
      ({ runner, stop, store }) =>
        Effect.gen(function* () {
          yield* store.jobs.enqueue(aJob(1))
          yield* runner.start
          yield* settled
          expect(yield* store.jobs.claim({ slots, leaseMs: 1 })).toEqual([])
          yield* stop
          expect((yield* store.jobs.claim({ slots, leaseMs: 1 })).map(({ job }) => job)).toEqual([aJob(1)])
        })
    )
  })

  it("leaves a job whose handler has a defect, or has none, until the lease ends, and runs the others", async () => {
    await running(
      ({ jobs }) => ({
        process: (claim) =>
          claim.job.id === "process 1" ? Effect.die(new Error("a mistake")) : Effect.asVoid(jobs.finish(claim))
      }),
      ({ log, runner, store }) =>
        Effect.gen(function* () {
          const unknown: MediaJob = { ...aJob(3), id: "trim 3", kind: "trim" }
          yield* Effect.forEach([aJob(1), aJob(2)], store.jobs.enqueue)
          yield* runner.start
          yield* settled
          yield* store.jobs.enqueue(unknown)
          yield* runner.start
          yield* settled
          expect(log).toHaveLength(2)
          expect(log[0]).toMatch(/^"a job failed unexpectedly.*"kind":"process","recording_uuid":/)
          expect(log[1]).toMatch(/"kind":"trim"/)
          expect(yield* store.jobs.byIds(["process 1", "process 2", "trim 3"])).toEqual([aJob(1), unknown])
          expect(yield* runner.start).toBe(false)
          yield* TestClock.adjust(jobLeaseMs)
          expect(yield* runner.start).toBe(true)
        })
    )
  })

  it("goes on when jobs cannot be claimed, and logs the reason", async () => {
    await running(
      () => ({ process: () => Effect.never }),
      ({ log, runner, store }) =>
        Effect.gen(function* () {
          const { claim } = store.jobs
          yield* store.jobs.enqueue(aJob(1))
          Object.assign(store.jobs, { claim: () => Effect.die(new Error("no store")) })
          expect(yield* runner.start).toBe(false)
          expect(log).toEqual([expect.stringMatching(/^"jobs could not be claimed; retrying"/)])
          Object.assign(store.jobs, { claim })
          expect(yield* runner.start).toBe(true)
        })
    )
  })

  it("runs jobs that repeat at the start of a process, unless another process is running them", async () => {
    await running(
      () => ({}),
      ({ store }) =>
        Effect.gen(function* () {
          const claims = () => store.jobs.claim({ slots, leaseMs: jobLeaseMs })
          yield* scheduleRepeating
          const [first] = yield* claims()
          yield* scheduleRepeating
          const second = yield* claims()
          expect(second.map(({ job }) => job.id)).not.toContain(first!.job.id)
          yield* store.jobs.postpone(first!, { ...first!.job, dueAt: 600_000 as MediaJob["dueAt"] })
          yield* scheduleRepeating
          expect((yield* claims()).map(({ job }) => job.id)).toContain(first!.job.id)
        })
    )
  })

  it("runs a job that repeats again after its interval, also where a run failed", async () => {
    let runs = 0
    const turn = Effect.suspend(() => (++runs === 2 ? Effect.die(new Error("a mistake")) : Effect.void))
    await running(
      () => ({ retention: repeating(turn), sweep: repeating(Effect.void) }),
      ({ runner }) =>
        Effect.gen(function* () {
          const tick = (ms: number) => Effect.andThen(TestClock.adjust(ms), Effect.andThen(runner.start, settled))
          yield* scheduleRepeating
          yield* tick(0)
          expect(runs).toBe(1)
          yield* tick(10 * 60_000 - 1)
          expect(runs).toBe(1)
          yield* tick(1)
          expect(runs).toBe(2)
          yield* tick(jobLeaseMs)
          expect(runs).toBe(3)
        })
    )
  })
})
