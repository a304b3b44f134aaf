import type { AccountId } from "@tapedeck/domain"
import { Effect } from "effect"
import { type AuditChainReading, storeOf } from "../store/Store.ts"
import { auditAccounts, type KnownHead } from "./verifyAudit.ts"

/** The heads of audit chains by account, stored outside the store, so that writing to the store cannot change them. */
export type KnownHeads = ReadonlyMap<AccountId, KnownHead>

export interface AuditHeadFile {
  readonly read: Effect.Effect<KnownHeads>
  readonly write: (heads: KnownHeads) => Effect.Effect<void>
}

/** Returns whether the chain continues from a known head: it has the same link at that position, unless that was pruned. */
const goesOn = Effect.fnUntraced(function* (chains: AuditChainReading, account: AccountId, { link, seq }: KnownHead) {
  const checkpoint = yield* chains.checkpoint(account)
  if (checkpoint !== undefined && checkpoint.seq >= seq) return checkpoint.seq > seq || checkpoint.link === link
  const [row] = yield* chains.after(account, seq - 1, 1)
  return row?.seal.seq === seq && row.seal.link === link
})

/**
 * Updates the stored heads to those of the store, for the given accounts or for all. A head from which its account's
 * chain does not continue is kept, because it shows that entries were removed; this is logged once.
 */
export const makeHeadKeeper = (file: AuditHeadFile) => {
  const broken = new Set<AccountId>()
  return Effect.fnUntraced(function* (accounts: Iterable<AccountId> | "all") {
    const { auditSeals } = yield* storeOf("auditSeals")
    const known = yield* file.read
    const heads = new Map(known)
    for (const account of accounts === "all" ? [...(yield* auditAccounts(auditSeals)), ...known.keys()] : accounts) {
      const head = yield* auditSeals.head(account)
      const before = known.get(account)
      if (before !== undefined && !(yield* goesOn(auditSeals, account, before))) {
        if (broken.has(account)) continue
        broken.add(account)
        yield* Effect.logError("audit chain does not continue from its known head", {
          account_id: account,
          seq: before.seq,
          remedy: "run tapedeck audit verify"
        })
      } else if (head !== undefined) heads.set(account, { seq: head.seq, link: head.link })
    }
    const isChanged = [...heads].some(([account, { link }]) => known.get(account)?.link !== link)
    if (isChanged) yield* file.write(heads)
  })
}
