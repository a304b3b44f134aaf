import type { Instant } from "@tapedeck/domain"
import { queueKeyOf, RepeatingJob, repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { JobClaim } from "../store/jobs.ts"
import { storeOf } from "../store/Store.ts"
import { jobLeaseMs } from "./JobRunner.ts"

/** Returns the handler of a job that repeats: it runs `turn`, and the job is due again after its interval. */
export const repeating = <R>(turn: Effect.Effect<void, never, R>) =>
  Effect.fnUntraced(function* (claim: JobClaim<RepeatingJob>) {
    const { jobs } = yield* storeOf("jobs")
    yield* turn
    const dueAt = ((yield* now) + repeatedAfterMs[claim.job.kind]) as Instant
    yield* jobs.postpone(claim, { ...claim.job, dueAt })
  })

/** Makes the jobs that repeat due now, unless a process is running them. */
export const scheduleRepeating = Effect.gen(function* () {
  const { jobs } = yield* storeOf("jobs")
  const dueAt = yield* now
  for (const kind of RepeatingJob.fields.kind.literals) {
    const job: RepeatingJob = { kind, id: kind, queueKey: queueKeyOf(kind, null), failedTries: 0, dueAt }
    yield* jobs.enqueueOnce(job)
    const claim = yield* jobs.claimById(kind, jobLeaseMs)
    if (claim !== undefined) yield* jobs.postpone(claim, job)
  }
})
