import { type Due, hasExpiring, oldestUnlinkedAt, sealDelayMs, type WorldState } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { Job, JobKind, JobOf } from "@tapedeck/domain/internal/jobs"
import { retentionOf, type WorldConfig } from "@tapedeck/fixtures"

/** The kinds of jobs that fire. No worker of media runs in a world. */
const worldKinds = [
  "capture",
  "mail",
  "redelivery",
  "retention",
  "sweep",
  "transcript"
] as const satisfies ReadonlyArray<JobKind>
export type WorldJob = JobOf<(typeof worldKinds)[number]>

const isWorldJob = (job: Job): job is WorldJob => worldKinds.some((kind) => kind === job.kind)

/** The linking of audit entries, a second after the oldest entry without a link was created. It is on no agenda. */
interface SealEvent {
  readonly kind: "seal"
  readonly at: Instant
}

/** An event that fires. */
export type DueEvent =
  | Exclude<Due, { readonly kind: "lease" | "job" }>
  | { readonly kind: "job"; readonly at: Instant; readonly job: WorldJob }
  | SealEvent

/** The state and the settings that decide which events are due. */
interface Scheduled {
  readonly config: WorldConfig
  readonly memory: { readonly state: () => WorldState }
}

/** Returns the event of an entry of the agenda; undefined: none. A lease is no event: an attempt in flight is counted in `in_flight`. */
const eventOf = (state: WorldState, config: WorldConfig, due: Due): DueEvent | undefined => {
  if (due.kind === "lease") return undefined
  if (due.kind !== "job") return due
  const { job } = state.jobs.get(due.jobId)!
  // Retention is always on the agenda, and has work only while there are records that expire.
  if (job.kind === "retention" && !hasExpiring(state, retentionOf(config))) return undefined
  return isWorldJob(job) ? { kind: "job", at: due.at, job } : undefined
}

const sealOf = (state: WorldState): SealEvent | undefined => {
  const oldestAt = oldestUnlinkedAt(state)
  return oldestAt === undefined ? undefined : { kind: "seal", at: (oldestAt + sealDelayMs) as Instant }
}

/** The events of a world, in the order in which they fire. */
export const eventsOf = function* ({ config, memory }: Scheduled): Iterable<DueEvent> {
  const state = memory.state()
  let seal = sealOf(state)
  for (const due of state.agenda.values()) {
    const event = eventOf(state, config, due)
    if (event === undefined) continue
    if (seal !== undefined && seal.at < event.at) {
      yield seal
      seal = undefined
    }
    yield event
  }
  if (seal !== undefined) yield seal
}

/** Returns the instant that a running clock does not pass: that of the next event, or the end of a lease. */
export const nextDueAt = ({ config, memory }: Scheduled): Instant | undefined => {
  const state = memory.state()
  const sealAt = sealOf(state)?.at
  for (const due of state.agenda.values()) {
    if (sealAt !== undefined && sealAt < due.at) break
    if (due.kind === "lease" || eventOf(state, config, due) !== undefined) return due.at
  }
  return sealAt
}

/** Returns whether an event repeats for ever, so that it is not pending. */
export const isRepeating = (due: DueEvent): boolean =>
  due.kind === "seal" || (due.kind === "job" && (due.job.kind === "retention" || due.job.kind === "sweep"))
