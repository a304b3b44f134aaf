import type { Instant } from "@tapedeck/domain"
import type { CountedReceiver } from "@tapedeck/domain/internal/delivery"
import { type Retention, removalsMs, statisticsMs } from "../../audit/retention.ts"
import type { WorldState } from "./WorldState.ts"

/** Returns whether there are records that expire. Statistics alone do not count: nearly every world has some, and they are removed with the rest. */
export const hasExpiring = (state: WorldState, { auditMs, logsMs }: Retention): boolean =>
  (logsMs !== null && state.deliveries.size > 0) ||
  (auditMs !== null && state.auditEntries.size > 0) ||
  state.recordingChanges.size > state.marksOfRecordings.size ||
  state.seenRecordings.size > 0

/**
 * Returns the next instant after `now` at which a record expires: of the present records, or, if that is earlier, of one that is
 * created from now on. Records that have expired are ignored.
 */
export const nextExpiry = (state: WorldState, retention: Retention, now: Instant): Instant => {
  const { auditMs, logsMs } = retention
  let next = now + Math.min(removalsMs, logsMs ?? removalsMs, auditMs ?? removalsMs) + 1
  /** Adds the last instant at which a record is kept. Returns whether the record has not expired. */
  const isKept = (until: number): boolean => {
    if (until >= now) next = Math.min(next, until + 1)
    return until >= now
  }
  // In the order of creation. A delivery has ended before it expires, because its retries take less than a day.
  if (logsMs !== null) {
    for (const { delivery } of state.deliveries.values()) if (isKept(delivery.createdAt + logsMs)) break
  }
  if (auditMs !== null) {
    for (const { at } of state.auditEntries.values()) if (isKept(at + auditMs)) break
  }
  for (const change of state.recordingChanges.values()) {
    if ("removedAt" in change && isKept(change.removedAt + removalsMs)) break
  }
  for (const users of state.seenRecordings.values()) for (const { expiresAt } of users) isKept(expiresAt)
  for (const { id: accountId } of state.accounts.values()) {
    const first = { accountId, hour: -Infinity as Instant, receiver: "" as CountedReceiver, measure: 0 }
    for (const { hour } of state.attemptCounts.values(first)) if (isKept(hour + statisticsMs)) break
  }
  for (const { lastAt } of state.receiverHealth.values()) isKept(lastAt + statisticsMs)
  return next as Instant
}
