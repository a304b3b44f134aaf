import type { Due, WorldState } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { Job, JobKind, JobOf } from "@tapedeck/domain/internal/jobs"

/** The kinds of jobs that fire. No worker of media runs in a world, and nothing in it is old enough to be removed. */
const worldKinds = ["capture", "mail", "redelivery", "sweep", "transcript"] as const satisfies ReadonlyArray<JobKind>
export type WorldJob = JobOf<(typeof worldKinds)[number]>

const isWorldJob = (job: Job): job is WorldJob => worldKinds.some((kind) => kind === job.kind)

/** An entry of the agenda that fires. */
export type DueEvent =
  | Exclude<Due, { readonly kind: "lease" | "job" }>
  | { readonly kind: "job"; readonly at: Instant; readonly job: WorldJob }

/** The event of an entry of the agenda; undefined: none. A lease is no event: an attempt in flight is counted in `in_flight`. */
export const eventOf = ({ jobs }: Pick<WorldState, "jobs">, due: Due): DueEvent | undefined => {
  if (due.kind === "lease") return undefined
  if (due.kind !== "job") return due
  const { job } = jobs.get(due.jobId)!
  return isWorldJob(job) ? { kind: "job", at: due.at, job } : undefined
}

/** Returns whether an event repeats for ever, so that it is not pending. */
export const isRepeating = (due: DueEvent): boolean => due.kind === "job" && due.job.kind === "sweep"
