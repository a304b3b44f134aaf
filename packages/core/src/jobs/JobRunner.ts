import { type FreeSlots, type JobKind, type JobOf, JobPool, jobKinds } from "@tapedeck/domain/internal/jobs"
import { Effect, FiberSet, Queue } from "effect"
import type { JobClaim } from "../store/jobs.ts"
import { storeOf } from "../store/Store.ts"
import { retryStoreCall } from "./retryStoreCall.ts"

/** Lease of a job without a renewal. */
export const jobLeaseMs = 60_000

/**
 * Ends of a claim that did not finish the job. `postponed`: it failed, and is run again later. `given_up`: it failed for the last time.
 * `lost`: another process has claimed the job, or the job was removed.
 */
export type UnfinishedJob = "postponed" | "given_up" | "lost"

/**
 * The functions that run the jobs of each kind. Each ends the claim: it finishes the job, postpones it, or gives it up. A job whose claim
 * is not ended, because of a defect, is claimed again when its lease ends.
 */
export type JobHandlers<R = never> = {
  readonly [Kind in JobKind]?: (claim: JobClaim<JobOf<Kind>>) => Effect.Effect<UnfinishedJob | void, never, R>
}

/** The services that handlers require. */
type HandlerServices<Handlers> = {
  readonly [Kind in keyof Handlers]-?: NonNullable<Handlers[Kind]> extends (
    claim: never
  ) => Effect.Effect<UnfinishedJob | void, never, infer R>
    ? R
    : never
}[keyof Handlers]

/** Fields that name a job in logs. */
export const jobFields = ({ job }: JobClaim) => ({
  kind: job.kind,
  ...("recordingUuid" in job && job.recordingUuid !== null && { recording_uuid: job.recordingUuid })
})

/** Starts due jobs of a store, each in a fiber. */
export interface JobRunner {
  /** Claims and starts jobs that are due, as many as there are free slots. Returns whether there were any. */
  readonly start: Effect.Effect<boolean>
  /** The pools that have a free slot. */
  readonly openPools: () => ReadonlyArray<JobPool>
  /** Completes when a job has ended, so that its slot is free. */
  readonly slotFreed: Effect.Effect<void>
}

/** Wraps each run of a job, to measure it. The end of the runner's scope interrupts a run. */
export type WatchRun = <R>(
  kind: JobKind,
  run: Effect.Effect<UnfinishedJob | void, never, R>
) => Effect.Effect<UnfinishedJob | void, never, R>

/**
 * Makes a runner of jobs, as long as the scope lasts. When the scope ends, it interrupts the jobs in flight and returns their claims, so
 * that another process can claim them at once.
 */
export const makeJobRunner = Effect.fnUntraced(function* <const Handlers extends JobHandlers<unknown>>(
  handlers: Handlers,
  slots: Readonly<Record<JobPool, number>>,
  watch: WatchRun = (_, run) => run
) {
  type R = HandlerServices<Handlers>
  const { jobs } = yield* storeOf("jobs")
  const fibers = yield* FiberSet.make()
  const run = yield* FiberSet.runtime(fibers)<R>()
  const freed = yield* Queue.sliding<void>(1)
  const free: Record<JobPool, number> = { ...slots }

  const runClaim = (claim: JobClaim) =>
    watch(
      claim.job.kind,
      Effect.raceFirst(handlerOf(handlers as JobHandlers<R>, claim), Effect.as(untilLeaseLost(claim), "lost" as const))
    ).pipe(
      Effect.onInterrupt(() => jobs.postpone(claim, claim.job)),
      Effect.catchCause((cause) =>
        Effect.logError("a job failed unexpectedly; it is run again when its lease ends", jobFields(claim), cause)
      )
    )

  const untilLeaseLost = Effect.fnUntraced(function* (claim: JobClaim) {
    // The job continues while the store is out of reach: its claim is lost only if another worker has claimed the job.
    const renewed = retryStoreCall(jobs.renew(claim, jobLeaseMs), { ...jobFields(claim), step: "renewing the lease" })
    do yield* Effect.sleep(jobLeaseMs / 3)
    while (yield* renewed)
  })

  const startClaim = (claim: JobClaim) => {
    const { pool } = jobKinds[claim.job.kind]
    free[pool] -= 1
    const end = Effect.sync(() => {
      free[pool] += 1
      Queue.offerUnsafe(freed, undefined)
    })
    run(Effect.ensuring(runClaim(claim), end))
  }

  const openPools = () => JobPool.literals.filter((pool) => free[pool] > 0)

  const start = Effect.gen(function* () {
    const pools = openPools()
    if (pools.length === 0) return false
    const claims = yield* jobs.claim({ slots: { ...free } satisfies FreeSlots, leaseMs: jobLeaseMs })
    claims.forEach(startClaim)
    return claims.length > 0
  })

  // Deliveries go on while jobs cannot be claimed.
  const safely = Effect.catchCause(start, (cause) =>
    Effect.as(Effect.logError("jobs could not be claimed; retrying", cause), false)
  )
  const runner: JobRunner = { start: Effect.uninterruptible(safely), openPools, slotFreed: Queue.take(freed) }
  return runner
})

const handlerOf = <R>(handlers: JobHandlers<R>, claim: JobClaim): Effect.Effect<UnfinishedJob | void, never, R> =>
  Effect.suspend(() => {
    const handler = handlers[claim.job.kind] as
      | ((claim: JobClaim) => Effect.Effect<UnfinishedJob | void, never, R>)
      | undefined
    return handler === undefined ? Effect.die(new Error(`no handler of ${claim.job.kind} jobs`)) : handler(claim)
  })
