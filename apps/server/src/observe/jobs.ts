import { declareCounter, declareHistogram, type WatchRun } from "@tapedeck/core"
import { type JobKind, jobKinds } from "@tapedeck/domain/internal/jobs"
import { Effect, Exit, Metric } from "effect"

const kinds = Object.keys(jobKinds) as ReadonlyArray<JobKind>

const endedJobs = declareCounter(
  "tapedeck_jobs_ended_total",
  "Runs of jobs: the job was `done`, failed and is retried (`postponed`), failed for the last time (`given_up`), was claimed by another process or removed (`lost`), or ended with an error in the server, after which it is run again (`failed`)",
  { kind: kinds, outcome: ["done", "postponed", "given_up", "lost", "failed"] }
)

const durations = declareHistogram(
  "tapedeck_job_duration_seconds",
  "Duration of runs of jobs",
  { kind: kinds },
  [0.01, 0.1, 1, 10, 60, 300, 1_800, 7_200]
)

export const jobMetrics = [endedJobs, durations]

/** Measures each run of a job. A run that the stop of the server interrupts is not counted. */
export const watchRun: WatchRun = (kind, run) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.onExit(run, (exit) => {
      if (Exit.hasInterrupts(exit)) return Effect.void
      const outcome = Exit.isSuccess(exit) ? (exit.value ?? "done") : "failed"
      return Effect.andThen(
        Metric.update(endedJobs.of({ kind, outcome }), 1),
        Metric.update(durations.of({ kind }), (performance.now() - startedAt) / 1_000)
      )
    })
  })
