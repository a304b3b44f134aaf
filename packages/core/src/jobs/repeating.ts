import type { Instant } from "@tapedeck/domain"
import { queueKeyOf, type RepeatingJob, repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { JobClaim } from "../store/jobs.ts"
import { storeOf } from "../store/Store.ts"

/** Returns the handler of a job that repeats: it runs `turn`, and the job is due again after its interval. */
export const repeating = <R>(turn: Effect.Effect<void, never, R>) =>
  Effect.fnUntraced(function* (claim: JobClaim<RepeatingJob>) {
    const { jobs } = yield* storeOf("jobs")
    yield* turn
    const dueAt = ((yield* now) + repeatedAfterMs[claim.job.kind]) as Instant
    yield* jobs.postpone(claim, { ...claim.job, dueAt })
  })

/** Makes a job that repeats due now. A node that runs it stops, and whichever node claims it first runs it. */
export const scheduleRepeating = Effect.fnUntraced(function* (kind: RepeatingJob["kind"]) {
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.enqueue({ kind, id: kind, queueKey: queueKeyOf(kind, null), failedTries: 0, dueAt: yield* now })
})
