import type { AccountId, AuditEntryId } from "@tapedeck/domain"
import { type AuditCheckpoint, auditLink, isSigned, type Mac } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import type { AuditChainReading, SealedEntry } from "../store/Store.ts"
import { ChainKeyRefused, macOf } from "./chainKey.ts"

/** Maximum number of links and entries in memory at a time. */
const BATCH = 500

/** Maximum number of findings that are listed; the rest is counted. */
const NAMED = 100

/** A place in a chain with its link, as an earlier run has printed it. */
export interface KnownHead {
  readonly seq: number
  readonly link: string
}

/**
 * A finding of the verification. `changed`: the entry or its link was changed. `missing`: an entry or a link is missing. `reordered`:
 * entries were reordered. `inserted`: an entry has no link, although later entries have one. `cut_off`: the chain ends before the known
 * head. `rewritten`: the chain has another link at the position of that head. `checkpoint`: the checkpoint of the pruned entries was
 * changed.
 */
export interface AuditFinding {
  readonly kind: "changed" | "missing" | "reordered" | "inserted" | "cut_off" | "rewritten" | "checkpoint"
  /** The place in the chain, where there is one. */
  readonly seq: number | null
  readonly entryId: AuditEntryId | null
}

export interface AuditReport {
  readonly accountId: AccountId
  /** Number of verified links. */
  readonly links: number
  /** The last position, as the known head of the next run; null if no entry is linked yet. */
  readonly head: KnownHead | null
  /** Entries that still wait for their link. */
  readonly waiting: number
  /** Last pruned entry. Its `seq` is the number of pruned entries; null if none were pruned. */
  readonly pruned: Pick<AuditCheckpoint, "seq" | "entryId" | "lastAt" | "prunedAt"> | null
  readonly findings: ReadonlyArray<AuditFinding>
  /** Number of findings; the first 100 are in `findings`. */
  readonly found: number
}

/** The accounts that have something to verify, in the order of their numbers. */
export const auditAccounts = (chains: AuditChainReading): Effect.Effect<ReadonlyArray<AccountId>> =>
  Effect.gen(function* () {
    const accounts: Array<AccountId> = []
    for (let next = yield* chains.nextAccount(0); next !== undefined; next = yield* chains.nextAccount(next)) {
      accounts.push(next)
    }
    return accounts
  })

/** The keyed hash to verify with; null where no entry was ever linked. */
export const macToVerify = Effect.fnUntraced(function* (chains: AuditChainReading) {
  const sealed = yield* chains.chainKey
  if (sealed !== undefined) return yield* macOf(sealed)
  return (yield* chains.lastSealed) === 0 ? null : yield* new ChainKeyRefused({ why: "gone" })
})

/**
 * Verifies an account's chain, from its checkpoint or its first entry to its last link. `chains` has to be a snapshot of the store.
 * An attacker with the database but not its key can remove the last entries, or have all entries linked again: only a `known` head
 * shows either.
 */
export const verifyAudit = Effect.fnUntraced(function* (
  chains: AuditChainReading,
  mac: Mac | null,
  accountId: AccountId,
  known: KnownHead | null
) {
  const walk = new Walk(mac, known)
  const checkpoint = yield* chains.checkpoint(accountId)
  if (checkpoint !== undefined) walk.beginAt(checkpoint)
  for (;;) {
    const rows = yield* chains.after(accountId, walk.seq, BATCH)
    for (const row of rows) walk.step(row)
    if (rows.length < BATCH) break
    yield* Effect.yieldNow
  }
  walk.end()
  for (let after = 0; ; ) {
    const ids = yield* chains.unlinked(accountId, after, BATCH)
    for (const entryId of ids) walk.find({ kind: "inserted", seq: null, entryId })
    if (ids.length < BATCH) break
    after = ids.at(-1)!
  }
  return walk.report(accountId, checkpoint ?? null, yield* chains.waiting(accountId))
})

/** The verification of one chain. Each link is checked against the stored previous one, so that a finding does not cause others. */
class Walk {
  seq = 0
  private links = 0
  private lastId = 0
  /** Undefined if the previous link is missing, so that the next one cannot be checked. */
  private link: string | null | undefined = null
  private found = 0
  private readonly findings: Array<AuditFinding> = []
  private readonly mac: Mac | null
  private readonly known: KnownHead | null

  constructor(mac: Mac | null, known: KnownHead | null) {
    this.mac = mac
    this.known = known
  }

  find(finding: AuditFinding) {
    this.found++
    if (this.findings.length < NAMED) this.findings.push(finding)
  }

  beginAt(checkpoint: AuditCheckpoint) {
    const { entryId, link, seq } = checkpoint
    if (this.mac === null || !isSigned(this.mac, checkpoint)) this.find({ kind: "checkpoint", seq, entryId })
    this.pass(seq, link)
    this.lastId = entryId
  }

  step({ entry, seal }: SealedEntry) {
    const { entryId, seq } = seal
    if (seq > this.seq + 1) this.miss(this.seq + 1, seq - 1)
    const wrong = this.judge({ entry, seal })
    if (wrong !== null) this.find({ kind: wrong, seq, entryId })
    this.links++
    this.lastId = Math.max(this.lastId, entryId)
    this.pass(seq, seal.link)
  }

  /** Counts missing positions as ranges: an attacker can write very large numbers into the database. */
  private miss(from: number, to: number) {
    const named = Math.min(to, from + NAMED)
    for (let seq = from; seq <= named; seq++) this.find({ kind: "missing", seq, entryId: null })
    this.found += to - named
    this.link = undefined
  }

  private judge({ entry, seal }: SealedEntry): "changed" | "missing" | "reordered" | null {
    if (entry === "missing") return "missing"
    if (seal.entryId <= this.lastId) return "reordered"
    if (entry === "broken" || this.mac === null) return "changed"
    if (entry.id !== seal.entryId) return "reordered"
    if (this.link === undefined) return null
    return auditLink(this.mac, this.link, seal, entry) === seal.link ? null : "changed"
  }

  private pass(seq: number, link: string) {
    this.seq = seq
    this.link = link
    if (this.known?.seq === seq && this.known.link !== link) this.find({ kind: "rewritten", seq, entryId: null })
  }

  end() {
    if (this.known === null || this.known.seq <= this.seq) return
    this.find({ kind: "cut_off", seq: this.known.seq, entryId: null })
  }

  report(accountId: AccountId, checkpoint: AuditCheckpoint | null, waiting: number): AuditReport {
    const { found, findings, link, links, seq } = this
    const pruned = checkpoint && {
      seq: checkpoint.seq,
      entryId: checkpoint.entryId,
      lastAt: checkpoint.lastAt,
      prunedAt: checkpoint.prunedAt
    }
    const head = typeof link === "string" ? { seq, link } : null
    return { accountId, links, head, waiting, pruned, findings, found }
  }
}
