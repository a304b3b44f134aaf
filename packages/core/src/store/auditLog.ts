import type { AccountId, AuditEntryId, Instant, UserId } from "@tapedeck/domain"
import type { AuditCheckpoint, AuditEntry, AuditEventType, AuditHead, AuditSeal } from "@tapedeck/domain/audit"
import type { Effect } from "effect"
import type { Part, Slice } from "./slices.ts"

export interface AuditEntryFilter {
  readonly accountId: AccountId
  /** Any of these. */
  readonly eventTypes?: ReadonlyArray<AuditEventType>
  readonly userId?: UserId
  /** Id of the entry's target. */
  readonly targetId?: string
  /** Earliest time, inclusive. */
  readonly since?: Instant
  /** Latest time, exclusive. */
  readonly until?: Instant
}

export interface AuditEntryRepository {
  readonly append: (entry: AuditEntry) => Effect.Effect<void>
  readonly byId: (id: AuditEntryId) => Effect.Effect<AuditEntry | undefined>
  /** Newest first: by `id`, the order of creation, descending. */
  readonly page: (filter: AuditEntryFilter, slice: Slice) => Effect.Effect<Part<AuditEntry>>
  /** The instant of the newest entry of any account that is not newer than `until`. */
  readonly newestUntil: (until: Instant) => Effect.Effect<Instant | undefined>
}

/** A link and its entry as they are stored, even if they were tampered with. */
export interface SealedEntry {
  readonly seal: AuditSeal
  /** `missing`: there is no such entry. `broken`: its columns contradict each other, which no store writes. */
  readonly entry: AuditEntry | "missing" | "broken"
}

/** Reads the chains of the audit log. */
export interface AuditChainReading {
  /** The key of the chains' keyed hashes, sealed by the vault; undefined before the first entry is linked. */
  readonly chainKey: Effect.Effect<string | undefined>
  /** The first account above `after` that has an entry, a link or a checkpoint. */
  readonly nextAccount: (after: number) => Effect.Effect<AccountId | undefined>
  readonly checkpoint: (accountId: AccountId) => Effect.Effect<AuditCheckpoint | undefined>
  /** An account's links after `seq`, in order. */
  readonly after: (accountId: AccountId, seq: number, limit: number) => Effect.Effect<ReadonlyArray<SealedEntry>>
  /** The last linked entry of all accounts, pruned ones included; 0 if there is none. */
  readonly lastSealed: Effect.Effect<number>
  /** An account's entries without a link after `after`, up to `lastSealed`. */
  readonly unlinked: (accountId: AccountId, after: number, limit: number) => Effect.Effect<ReadonlyArray<AuditEntryId>>
  /** The number of an account's entries that are not linked yet, counted to `max`. */
  readonly waiting: (accountId: AccountId, max?: number) => Effect.Effect<number>
}

export interface AuditSealRepository extends AuditChainReading {
  /** Stores the chains' sealed key, which stays as long as there are chains. */
  readonly saveChainKey: (sealed: string) => Effect.Effect<void>
  /** The entries of all accounts after `lastSealed`, in the order of their numbers. */
  readonly next: (limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
  /** Time of the oldest entry without a link; undefined if all entries are linked. Waits for no transaction. */
  readonly oldestUnlinkedAt: Effect.Effect<Instant | undefined>
  readonly head: (accountId: AccountId) => Effect.Effect<AuditHead | undefined>
  readonly add: (seal: AuditSeal) => Effect.Effect<void>
  /** Removes the checkpoint's links and their entries, and replaces the account's checkpoint. */
  readonly prune: (checkpoint: AuditCheckpoint) => Effect.Effect<void>
}
