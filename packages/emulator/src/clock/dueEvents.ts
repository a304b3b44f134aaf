import {
  type Due,
  oldestUnlinkedAt,
  type Retention,
  retentionDueAt,
  sealDelayMs,
  type WorldState
} from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { Job, JobKind, JobOf } from "@tapedeck/domain/internal/jobs"

/** The kinds of jobs that fire. No worker of media runs in a world, and retention is due when the state says so. */
const worldKinds = ["capture", "mail", "redelivery", "sweep", "transcript"] as const satisfies ReadonlyArray<JobKind>
export type WorldJob = JobOf<(typeof worldKinds)[number]>

const isWorldJob = (job: Job): job is WorldJob => worldKinds.some((kind) => kind === job.kind)

/**
 * Work that is on no agenda, because its time follows from the state: the linking of audit entries, a second after the oldest entry
 * without a link was created; the removal of expired records, when one expires.
 */
interface UpkeepEvent {
  readonly kind: "seal" | "retention"
  readonly at: Instant
}

/** An event that fires. */
export type DueEvent =
  | Exclude<Due, { readonly kind: "lease" | "job" }>
  | { readonly kind: "job"; readonly at: Instant; readonly job: WorldJob }
  | UpkeepEvent

/** The state and the times that decide which events are due. */
interface Scheduled {
  readonly retention: Retention
  readonly memory: { readonly state: () => WorldState }
}

/** Returns the event of an entry of the agenda; undefined: none. A lease is no event: an attempt in flight is counted in `in_flight`. */
const eventOf = (state: WorldState, due: Due): DueEvent | undefined => {
  if (due.kind === "lease") return undefined
  if (due.kind !== "job") return due
  const { job } = state.jobs.get(due.jobId)!
  return isWorldJob(job) ? { kind: "job", at: due.at, job } : undefined
}

/** Returns the events of upkeep, in due order. Entries are linked before they expire. */
const upkeepOf = (state: WorldState, retention: Retention): ReadonlyArray<UpkeepEvent> => {
  const events: Array<UpkeepEvent> = []
  const oldestAt = oldestUnlinkedAt(state)
  if (oldestAt !== undefined) events.push({ kind: "seal", at: (oldestAt + sealDelayMs) as Instant })
  const expiryAt = retentionDueAt(state, retention)
  if (expiryAt !== undefined) events.push({ kind: "retention", at: expiryAt })
  return events.sort((a, b) => a.at - b.at)
}

/** The events of a world, in the order in which they fire. */
export const eventsOf = function* ({ memory, retention }: Scheduled): Iterable<DueEvent> {
  const state = memory.state()
  const upkeep = upkeepOf(state, retention)
  let next = 0
  for (const due of state.agenda.values()) {
    const event = eventOf(state, due)
    if (event === undefined) continue
    for (; next < upkeep.length && upkeep[next]!.at < event.at; next++) yield upkeep[next]!
    yield event
  }
  yield* upkeep.slice(next)
}

/** Returns the instant that a running clock does not pass: that of the next event, or the end of a lease. */
export const nextDueAt = ({ memory, retention }: Scheduled): Instant | undefined => {
  const state = memory.state()
  const upkeepAt = upkeepOf(state, retention)[0]?.at
  for (const due of state.agenda.values()) {
    if (upkeepAt !== undefined && upkeepAt < due.at) break
    if (due.kind === "lease" || eventOf(state, due) !== undefined) return due.at
  }
  return upkeepAt
}

/** Returns whether an event is upkeep of the store. */
export const isUpkeep = (due: DueEvent): due is UpkeepEvent => due.kind === "seal" || due.kind === "retention"

/** Returns whether an event repeats for ever, so that it is not pending. */
export const isRepeating = (due: DueEvent): boolean => isUpkeep(due) || (due.kind === "job" && due.job.kind === "sweep")
