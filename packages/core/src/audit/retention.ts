import { type AccountId, auditLink, checkpointAt, type Instant, isSigned } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import { type PrunedDeliveries, Store } from "../Store.ts"
import { macOf } from "./chainKey.ts"
import { makeRetentionClock } from "./retentionClock.ts"

/** How long things are kept, in milliseconds; null: for ever. */
export interface Retention {
  /** Deliveries that have ended, with their attempts: the execution logs. From when they were made. */
  readonly logsMs: number | null
  /** Audit entries. From when they were made. */
  readonly auditMs: number | null
}

/** So many are looked at in one transaction: requests write between them. */
const BATCH = 200

const turnMs = 10 * 60_000

/** Removes ended deliveries that were made before `madeBefore`; gives how many. Those that wait stay, however old. */
export const pruneDeliveries = Effect.fnUntraced(function* (madeBefore: Instant) {
  const { deliveries } = yield* Store
  let removed = 0
  let behind: number | null = null
  do {
    const stretch: PrunedDeliveries = yield* deliveries.prune({ madeBefore, behind, limit: BATCH })
    removed += stretch.removed
    behind = stretch.behind
    yield* Effect.yieldNow
  } while (behind !== null)
  return removed
})

/**
 * Removes the first entries of an account's chain that were made before `madeBefore`, up to so many, and signs the
 * checkpoint that the chain goes on from (A5); gives how many. It stops before the first one that does not fit: what shows
 * that the log was tampered with is not to be removed, nor to be signed for.
 */
const pruneSome = Effect.fnUntraced(function* (accountId: AccountId, madeBefore: Instant) {
  const { auditSeals: seals, transaction } = yield* Store
  const prune = Effect.gen(function* () {
    const sealed = yield* seals.chainKey
    if (sealed === undefined) return 0
    const mac = yield* macOf(sealed)
    const before = yield* seals.checkpoint(accountId)
    if (before !== undefined && !isSigned(mac, before)) return yield* refuse(accountId, before.seq)
    let checkpoint = before
    for (const { entry, seal } of yield* seals.after(accountId, before?.seq ?? 0, BATCH)) {
      if (typeof entry !== "string" && entry.at >= madeBefore) break
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
    Effect.logError(
      `audit entries of account ${accountId} are not pruned: at place ${seq} its log was tampered with; run tapedeck audit verify`
    ),
    0
  )

/** Removes audit entries of all accounts that were made before `madeBefore` and are linked; gives how many. */
export const pruneAuditEntries = Effect.fnUntraced(function* (madeBefore: Instant) {
  const { auditSeals } = yield* Store
  let removed = 0
  for (let account = yield* auditSeals.nextAccount(0); account !== undefined; ) {
    let some = 0
    do {
      some = yield* pruneSome(account, madeBefore)
      removed += some
      yield* Effect.yieldNow
    } while (some === BATCH)
    account = yield* auditSeals.nextAccount(account)
  }
  return removed
})

/** Removes what has been kept for as long as it is to be, for as long as it is let. */
export const retentionKeeper = ({ auditMs, logsMs }: Retention) => {
  const trustedTime = makeRetentionClock()
  const turn = Effect.gen(function* () {
    const at = yield* trustedTime
    if (at === null) return
    const logs = logsMs === null ? 0 : yield* pruneDeliveries((at - logsMs) as Instant)
    const entries = auditMs === null ? 0 : yield* pruneAuditEntries((at - auditMs) as Instant)
    if (logs + entries > 0) yield* Effect.logInfo(`pruned ${logs} ended deliveries and ${entries} audit entries`)
  })
  const safely = Effect.catchCause(turn, (cause) => Effect.logError("pruning broke off; it is tried again", cause))
  return auditMs === null && logsMs === null
    ? Effect.never
    : Effect.forever(Effect.andThen(safely, Effect.sleep(turnMs)))
}
