import { type AccountId, type AuditHead, nextSeal } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import { Store } from "../Store.ts"
import { type AuditHeadFile, makeHeadKeeper } from "./auditHeads.ts"
import { macToSeal } from "./chainKey.ts"

/** So many entries are linked in one transaction: requests write between them. */
const BATCH = 200

/** How long an entry waits for its link at most, but for the time that it takes to make it (A5). */
const pollMs = 1_000

/**
 * Links the next entries, in the order of their numbers, each behind the last one of its account; gives whose. It is a
 * transaction: whatever ends it leaves a chain that the next goes on with.
 */
export const sealAuditEntries = Effect.gen(function* () {
  const { auditSeals: seals, transaction } = yield* Store
  // A commit costs: none is made for nothing.
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
 * Links entries within a second of their making, for as long as it is let (A5). With `file`, the heads of the chains are
 * kept there too, once what they stand for is committed.
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
  const turn = Effect.catchCause(all, (cause) =>
    Effect.logError("audit entries could not be linked; they are tried again", cause)
  )
  const keep = (accounts: ReadonlySet<AccountId> | "all") =>
    keepHeads(accounts).pipe(
      Effect.andThen(Effect.sync(() => unkept.clear())),
      Effect.catchCause((cause) =>
        Effect.logError("heads of the audit log could not be kept; it is tried again", cause)
      )
    )
  const keepNew = Effect.suspend(() => (unkept.size === 0 ? Effect.void : keep(unkept)))
  return Effect.andThen(
    keep("all"),
    Effect.forever(turn.pipe(Effect.andThen(keepNew), Effect.andThen(Effect.sleep(pollMs))))
  )
}
