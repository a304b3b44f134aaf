import type { Instant } from "@tapedeck/domain"
import { queueKeyOf, RepeatingJob, repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { JobClaim } from "../store/jobs.ts"
import { storeOf } from "../store/Store.ts"
import { jobLeaseMs } from "./JobRunner.ts"

/**
 * Returns the handler of a job that repeats: it runs `turn`, and the job is due again after its interval, or at the instant that `turn`
 * returns, if that is later: until then there is nothing to do.
 */
export const repeating = <R>(turn: Effect.Effect<Instant | void, never, R>) =>
  Effect.fnUntraced(function* (claim: JobClaim<RepeatingJob>) {
    const { jobs } = yield* storeOf("jobs")
    const nextAt = yield* turn
    const dueAt = Math.max((yield* now) + repeatedAfterMs[claim.job.kind], nextAt ?? 0) as Instant
    yield* jobs.postpone(claim, { ...claim.job, dueAt })
  })

/** Returns the job of work that repeats. */
export const repeatingJob = (kind: RepeatingJob["kind"], dueAt: Instant): RepeatingJob => ({
  kind,
  id: kind,
  queueKey: queueKeyOf(kind, null),
  failedTries: 0,
  dueAt
})

/** Adds a job that repeats, unless there is one. */
export const addRepeating = Effect.fnUntraced(function* (kind: RepeatingJob["kind"], dueAt: Instant) {
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.enqueueOnce(repeatingJob(kind, dueAt))
})

/** Makes the jobs that repeat due now, unless a process is running them. */
export const scheduleRepeating = Effect.gen(function* () {
  const { jobs } = yield* storeOf("jobs")
  const dueAt = yield* now
  for (const kind of RepeatingJob.fields.kind.literals) {
    yield* addRepeating(kind, dueAt)
    const claim = yield* jobs.claimById(kind, jobLeaseMs)
    if (claim !== undefined) yield* jobs.postpone(claim, repeatingJob(kind, dueAt))
  }
})
