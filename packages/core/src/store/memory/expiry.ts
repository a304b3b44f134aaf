import type { Instant } from "@tapedeck/domain"
import { repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { type Retention, removalsMs } from "../../audit/retention.ts"
import type { WorldState } from "./WorldState.ts"

/** Returns the first instant after `since` at which one of the records, oldest first, expires. `keptMs` null: none expires. */
const firstExpiry = <A>(
  records: Iterable<A>,
  createdAtOf: (record: A) => Instant,
  keptMs: number | null,
  since: number
): number => {
  if (keptMs === null) return Number.POSITIVE_INFINITY
  for (const record of records) {
    const at = createdAtOf(record) + keptMs + 1
    if (at > since) return at
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Returns the instant at which retention has work: when a record expires, and not before the due time of its job, which is there after
 * the first run; undefined if no record expires. Records that had expired at the last run do not count: it refused them, because the
 * audit log was tampered with. Nor do statistics and records of opened recordings, which are removed with the rest: nearly every world
 * has some.
 */
export const retentionDueAt = (state: WorldState, { auditMs, logsMs }: Retention): Instant | undefined => {
  const job = state.jobs.get("retention")?.job
  const notBefore = job?.kind === "retention" ? job.dueAt : Number.NEGATIVE_INFINITY
  const lastRunAt = notBefore - repeatedAfterMs.retention
  const next = Math.min(
    // A delivery has ended before it expires, because its retries take less than a day.
    firstExpiry(state.deliveries.values(), ({ delivery }) => delivery.createdAt, logsMs, lastRunAt),
    firstExpiry(state.auditEntries.values(), ({ at }) => at, auditMs, lastRunAt),
    firstExpiry(state.removals.values(), ({ removedAt }) => removedAt, removalsMs, lastRunAt)
  )
  return next === Number.POSITIVE_INFINITY ? undefined : (Math.max(notBefore, next) as Instant)
}
