import type { Due, WorldState } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { JobKind, JobOf, MediaJobKind } from "@tapedeck/domain/internal/jobs"

/** A job that fires. No worker of media runs in a world, and nothing in it is old enough to be removed. */
export type WorldJob = JobOf<Exclude<JobKind, MediaJobKind | "retention">>

/** An entry of the agenda that fires. */
export type DueEvent =
  | Exclude<Due, { readonly kind: "lease" | "job" }>
  | { readonly kind: "job"; readonly at: Instant; readonly job: WorldJob }

/** The event of an entry of the agenda; undefined: none. A lease is no event: an attempt in flight is counted in `in_flight`. */
export const eventOf = ({ jobs }: Pick<WorldState, "jobs">, due: Due): DueEvent | undefined => {
  if (due.kind === "lease") return undefined
  if (due.kind !== "job") return due
  return { kind: "job", at: due.at, job: jobs.get(due.jobId)!.job as WorldJob }
}

/** Returns whether an event repeats for ever, so that it is not pending. */
export const isRepeating = (due: DueEvent): boolean => due.kind === "job" && due.job.kind === "sweep"
