import type { AccountId } from "@tapedeck/domain"
import { type AuditHead, nextSeal } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { now } from "../now.ts"
import { storeOf } from "../store/Store.ts"
import { type AuditHeadFile, makeHeadKeeper } from "./auditHeads.ts"
import { macToSeal } from "./chainKey.ts"

/** Number of entries that one transaction links, so that requests can write between transactions. */
const BATCH = 200

/** Maximum time that an entry waits for its link, without the time to compute it (A5). */
export const sealDelayMs = 1_000

/**
 * Links the next entries, in the order of their numbers, each after the last one of its account; returns the accounts. It runs in a
 * transaction, so that an interrupted run leaves a valid chain.
 */
export const sealAuditEntries = Effect.gen(function* () {
  const { auditSeals: seals, transaction } = yield* storeOf("auditSeals", "transaction")
  // A commit is expensive: none is made without entries.
  if ((yield* seals.next(1)).length === 0) return new Set<AccountId>()
  const seal = Effect.gen(function* () {
    const mac = yield* macToSeal(seals)
    const sealedAt = yield* now
    const heads = new Map<AccountId, AuditHead | null>()
    const entries = yield* seals.next(BATCH)
    for (const entry of entries) {
      const head = heads.get(entry.accountId) ?? (yield* seals.head(entry.accountId)) ?? null
      const next = nextSeal(mac, head, entry, sealedAt)
      yield* seals.add(next)
      heads.set(entry.accountId, next)
    }
    return new Set(heads.keys())
  })
  return yield* transaction(seal)
})

/**
 * Links entries within a second of their creation, until it is interrupted (A5). With `file`, the heads of the chains are
 * stored there too, after their entries are committed.
 */
export const auditSealer = (file: AuditHeadFile | null = null) => {
  const keepHeads = file === null ? () => Effect.void : makeHeadKeeper(file)
  const unkept = new Set<AccountId>()
  const all = Effect.gen(function* () {
    for (let sealed = yield* sealAuditEntries; sealed.size > 0; sealed = yield* sealAuditEntries) {
      for (const account of sealed) unkept.add(account)
      yield* Effect.yieldNow
    }
  })
  const turn = Effect.catchCause(all, (cause) => Effect.logError("linking audit entries failed; retrying", cause))
  const keep = (accounts: ReadonlySet<AccountId> | "all") =>
    keepHeads(accounts).pipe(
      Effect.andThen(Effect.sync(() => unkept.clear())),
      Effect.catchCause((cause) => Effect.logError("writing heads of audit chains failed; retrying", cause))
    )
  const keepNew = Effect.suspend(() => (unkept.size === 0 ? Effect.void : keep(unkept)))
  return Effect.andThen(
    keep("all"),
    Effect.forever(turn.pipe(Effect.andThen(keepNew), Effect.andThen(Effect.sleep(sealDelayMs))))
  )
}
