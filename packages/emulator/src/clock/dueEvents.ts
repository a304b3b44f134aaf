import type { Due, WorldState } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { JobKind, JobOf } from "@tapedeck/domain/internal/jobs"

/** A job that fires. A mail stays where it is: no mail leaves a world. */
export type WorldJob = JobOf<Extract<JobKind, "capture" | "redelivery" | "transcript">>

/** An entry of the agenda that fires. */
export type DueEvent =
  | Exclude<Due, { readonly kind: "lease" | "job" }>
  | { readonly kind: "job"; readonly at: Instant; readonly job: WorldJob }

/** The event of an entry of the agenda; undefined: none. A lease is no event: an attempt in flight is counted in `in_flight`. */
export const eventOf = ({ jobs }: Pick<WorldState, "jobs">, due: Due): DueEvent | undefined => {
  if (due.kind === "lease") return undefined
  if (due.kind !== "job") return due
  const { job } = jobs.get(due.jobId)!
  const { kind } = job
  return kind === "capture" || kind === "redelivery" || kind === "transcript"
    ? { kind: "job", at: due.at, job }
    : undefined
}
