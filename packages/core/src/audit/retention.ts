import type { AccountId, Instant } from "@tapedeck/domain"
import { auditLink, checkpointAt, isSigned } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { leaveRemovedFolders } from "../folders/removedFolders.ts"
import { now } from "../now.ts"
import { maxForgotten, type PrunedDeliveries, storeOf } from "../store/Store.ts"
import { macOf } from "./chainKey.ts"
import { makeRetentionClock } from "./retentionClock.ts"

/** Retention times in milliseconds; null: no limit. */
export interface Retention {
  /** Ended deliveries with their attempts (the execution logs), since their creation. */
  readonly logsMs: number | null
  /** Audit entries, since their creation. */
  readonly auditMs: number | null
}

/** Number of records that one transaction checks, so that requests can write between transactions. */
const BATCH = 200

/** Removes ended deliveries that were created before `createdBefore`; returns their number. Pending ones are kept, however old. */
export const pruneDeliveries = Effect.fnUntraced(function* (createdBefore: Instant) {
  const { deliveries } = yield* storeOf("deliveries")
  let removed = 0
  let after: number | null = null
  do {
    const stretch: PrunedDeliveries = yield* deliveries.prune({ createdBefore, after, limit: BATCH })
    removed += stretch.removed
    after = stretch.after
    yield* Effect.yieldNow
  } while (after !== null)
  return removed
})

/**
 * Removes the first entries of an account's chain that were created before `createdBefore`, up to a limit, and signs the
 * checkpoint from which the chain continues (A5); returns their number. It stops before the first entry that does not verify, because
 * evidence of tampering must not be removed or signed.
 */
const pruneSome = Effect.fnUntraced(function* (accountId: AccountId, createdBefore: Instant) {
  const { auditSeals: seals, transaction } = yield* storeOf("auditSeals", "transaction")
  const prune = Effect.gen(function* () {
    const sealed = yield* seals.chainKey
    if (sealed === undefined) return 0
    const mac = yield* macOf(sealed)
    const before = yield* seals.checkpoint(accountId)
    if (before !== undefined && !isSigned(mac, before)) return yield* refuse(accountId, before.seq)
    let checkpoint = before
    for (const { entry, seal } of yield* seals.after(accountId, before?.seq ?? 0, BATCH)) {
      if (typeof entry !== "string" && entry.at >= createdBefore) break
      const fits =
        typeof entry !== "string" &&
        seal.seq === (checkpoint?.seq ?? 0) + 1 &&
        auditLink(mac, checkpoint?.link ?? null, seal, entry) === seal.link
      if (!fits) {
        yield* refuse(accountId, seal.seq)
        break
      }
      checkpoint = checkpointAt(mac, seal, entry.at, yield* now)
    }
    if (checkpoint === undefined || checkpoint === before) return 0
    yield* seals.prune(checkpoint)
    return checkpoint.seq - (before?.seq ?? 0)
  })
  return yield* transaction(prune)
})

const refuse = (accountId: AccountId, seq: number) =>
  Effect.as(
    Effect.logError("audit entries not pruned", {
      account_id: accountId,
      seq,
      reason: "the log was tampered with",
      remedy: "run tapedeck audit verify"
    }),
    0
  )

/** Removes linked audit entries of all accounts that were created before `createdBefore`; returns their number. */
export const pruneAuditEntries = Effect.fnUntraced(function* (createdBefore: Instant) {
  const { auditSeals } = yield* storeOf("auditSeals")
  let removed = 0
  for (let account = yield* auditSeals.nextAccount(0); account !== undefined; ) {
    let some = 0
    do {
      some = yield* pruneSome(account, createdBefore)
      removed += some
      yield* Effect.yieldNow
    } while (some === BATCH)
    account = yield* auditSeals.nextAccount(account)
  }
  return removed
})

/** Retention time of the counters of attempts. */
const statisticsMs = 90 * 24 * 3_600_000

const pruneStatistics = Effect.fnUntraced(function* (before: Instant) {
  const { accounts, statistics } = yield* storeOf("accounts", "statistics")
  for (const { id } of yield* accounts.list) yield* statistics.prune(id, before)
})

/** Time for which removals of recordings are kept: a list of changes that is older starts again. */
export const removalsMs = 30 * 24 * 3_600_000

/** Forgets old removals and records of opened recordings. */
const forgetOld = Effect.fnUntraced(function* (at: Instant) {
  const { recordings } = yield* storeOf("recordings")
  const removedBefore = (at - removalsMs) as Instant
  for (const forgotten of [recordings.forgetRemovals(removedBefore), recordings.forgetSeen(at)]) {
    while ((yield* forgotten) === maxForgotten) yield* Effect.yieldNow
  }
})

/** Removes the records that have expired at an instant; returns the numbers of those with a configured retention time. */
export const removeExpired = Effect.fnUntraced(function* ({ auditMs, logsMs }: Retention, at: Instant) {
  const deliveries = logsMs === null ? 0 : yield* pruneDeliveries((at - logsMs) as Instant)
  yield* forgetOld(at)
  yield* pruneStatistics((at - statisticsMs) as Instant)
  const auditEntries = auditMs === null ? 0 : yield* pruneAuditEntries((at - auditMs) as Instant)
  return { deliveries, auditEntries }
})

/** Makes the effect that removes expired records, and completes removals of folders that a crash interrupted. */
export const makeRetention = (retention: Retention) => {
  const trustedTime = makeRetentionClock()
  const turn = Effect.gen(function* () {
    yield* leaveRemovedFolders
    const at = yield* trustedTime
    if (at === null) return
    const { auditEntries, deliveries } = yield* removeExpired(retention, at)
    if (deliveries + auditEntries > 0) yield* Effect.logInfo("pruned", { deliveries, audit_entries: auditEntries })
  })
  return Effect.catchCause(turn, (cause) => Effect.logError("pruning failed; retrying", cause))
}
