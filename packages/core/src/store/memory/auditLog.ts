import type { AccountId, AuditEntryId, Instant } from "@tapedeck/domain"
import type { AuditCheckpoint, AuditEntry, AuditHead, AuditSeal } from "@tapedeck/domain/audit"
import { type AuditEntryFilter, partOf, type SealedEntry, type Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { ChainPlace, Draft, WorldState } from "./WorldState.ts"

/** The name of the counter that holds the last entry that was linked. */
const LAST_SEALED = "audit_sealed"

const lastSealed = (state: WorldState): number => state.counters[LAST_SEALED] ?? 0

/** Every account that has something has entries, or a checkpoint. */
const nextAccount = (state: WorldState, after: number): AccountId | undefined => {
  let least: AccountId | undefined
  const look = (accountId: AccountId) => {
    if (accountId > after && (least === undefined || accountId < least)) least = accountId
  }
  for (const { accountId } of state.auditEntries.values()) look(accountId)
  for (const { accountId } of state.auditCheckpoints.values()) look(accountId)
  return least
}

const sealsAfter = (state: WorldState, place: ChainPlace, limit: number): ReadonlyArray<SealedEntry> => {
  const found: Array<SealedEntry> = []
  for (const [, seal] of state.auditSeals.entries({ ...place, seq: place.seq + 1 })) {
    if (seal.accountId !== place.accountId || found.length === limit) break
    found.push({ seal, entry: state.auditEntries.get(seal.entryId) ?? "missing" })
  }
  return found
}

const unlinked = (
  state: WorldState,
  accountId: AccountId,
  after: number,
  limit: number
): ReadonlyArray<AuditEntryId> => {
  const seals = sealsAfter(state, { accountId, seq: 0 }, Infinity)
  const linked = new Set(seals.map(({ seal }) => seal.entryId))
  return [...state.auditEntries.entries(after + 1)]
    .map(([, entry]) => entry)
    .filter((entry) => entry.accountId === accountId && entry.id <= lastSealed(state) && !linked.has(entry.id))
    .slice(0, limit)
    .map(({ id }) => id)
}

const unsealed = (state: WorldState) => state.auditEntries.entries(lastSealed(state) + 1)

const waiting = (state: WorldState, accountId: AccountId, max = Number.POSITIVE_INFINITY): number => {
  let count = 0
  for (const [, entry] of unsealed(state)) {
    if (count >= max) break
    if (entry.accountId === accountId) count++
  }
  return count
}

const nextEntries = (state: WorldState, limit: number): ReadonlyArray<AuditEntry> => {
  const found: Array<AuditEntry> = []
  for (const [, entry] of unsealed(state)) {
    if (found.length === limit) break
    found.push(entry)
  }
  return found
}

/** Returns the time of the oldest entry without a link; undefined if all entries are linked. */
export const oldestUnlinkedAt = (state: WorldState): Instant | undefined => {
  for (const [, { at }] of unsealed(state)) return at
  return undefined
}

const headOf = (state: WorldState, accountId: AccountId): AuditHead | undefined => {
  const [, last] = state.auditSeals.nextLowerPair({ accountId, seq: Infinity }) ?? []
  return last?.accountId === accountId ? last : state.auditCheckpoints.get(accountId)
}

const addSeal = (draft: Draft, seal: AuditSeal) => {
  draft.edit("auditSeals").set(seal, seal)
  draft.countFrom(LAST_SEALED, seal.entryId)
}

const pruneSeals = (draft: Draft, checkpoint: AuditCheckpoint) => {
  for (const { seal } of sealsAfter(draft.state, { accountId: checkpoint.accountId, seq: 0 }, Infinity)) {
    if (seal.seq > checkpoint.seq) break
    draft.edit("auditSeals").delete(seal)
    draft.edit("auditEntries").delete(seal.entryId)
  }
  draft.edit("auditCheckpoints").set(checkpoint.accountId, checkpoint)
}

/** Newest first. */
const auditEntriesOf = (state: WorldState, filter: AuditEntryFilter): ReadonlyArray<AuditEntry> =>
  state.auditEntries
    .valuesArray()
    .filter(
      (entry) =>
        entry.accountId === filter.accountId &&
        (filter.eventTypes === undefined || filter.eventTypes.includes(entry.eventType)) &&
        (filter.userId === undefined || entry.userId === filter.userId) &&
        (filter.targetId === undefined || entry.metadata.targetId === filter.targetId) &&
        (filter.since === undefined || entry.at >= filter.since) &&
        (filter.until === undefined || entry.at < filter.until)
    )
    .reverse()

/** The audit log and its seals in memory. */
export const auditRepositories = ({ read, write }: MemoryState): Pick<Store, "auditEntries" | "auditSeals"> => ({
  auditEntries: {
    append: (entry) =>
      write((draft) => {
        draft.edit("auditEntries").set(entry.id, entry)
        draft.countFrom("audit_entry", entry.id)
      }),
    byId: (id) => read((state) => state.auditEntries.get(id)),
    page: (filter, slice) => read((state) => partOf(auditEntriesOf(state, filter), slice)),
    newestUntil: (until) => read((state) => state.auditEntries.valuesArray().findLast(({ at }) => at <= until)?.at)
  },
  auditSeals: {
    chainKey: read((state) => state.auditChainKey.get("key")),
    nextAccount: (after) => read((state) => nextAccount(state, after)),
    checkpoint: (accountId) => read((state) => state.auditCheckpoints.get(accountId)),
    after: (accountId, seq, limit) => read((state) => sealsAfter(state, { accountId, seq }, limit)),
    lastSealed: read(lastSealed),
    unlinked: (accountId, after, limit) => read((state) => unlinked(state, accountId, after, limit)),
    waiting: (accountId, max) => read((state) => waiting(state, accountId, max)),
    saveChainKey: (sealed) => write((draft) => draft.edit("auditChainKey").set("key", sealed)),
    next: (limit) => read((state) => nextEntries(state, limit)),
    oldestUnlinkedAt: read(oldestUnlinkedAt),
    head: (accountId) => read((state) => headOf(state, accountId)),
    add: (seal) => write((draft) => addSeal(draft, seal)),
    prune: (checkpoint) => write((draft) => pruneSeals(draft, checkpoint))
  }
})
