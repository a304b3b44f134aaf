import type {
  AccountId,
  AuditCheckpoint,
  AuditEntry,
  AuditEntryId,
  AuditEventType,
  AuditHead,
  AuditSeal,
  Instant,
  UserId
} from "@tapedeck/domain"
import type { Effect } from "effect"
import type { Part, Slice } from "./slices.ts"

export interface AuditEntryFilter {
  readonly accountId: AccountId
  /** Any of these. */
  readonly eventTypes?: ReadonlyArray<AuditEventType>
  readonly userId?: UserId
  /** From this instant on. */
  readonly since?: Instant
  /** Before this instant. */
  readonly until?: Instant
}

export interface AuditEntryRepository {
  readonly append: (entry: AuditEntry) => Effect.Effect<void>
  readonly byId: (id: AuditEntryId) => Effect.Effect<AuditEntry | undefined>
  /** Newest first: `id` descending, which is the order in which they were made. */
  readonly page: (filter: AuditEntryFilter, slice: Slice) => Effect.Effect<Part<AuditEntry>>
  /** When the last made of those entries was made that are not newer than `until`, of whichever account. */
  readonly newestUntil: (until: Instant) => Effect.Effect<Instant | undefined>
}

/** A link and the entry that it is about, as they are found, whatever was done to them. */
export interface SealedEntry {
  readonly seal: AuditSeal
  /**
   * `missing`: there is no such entry. `broken`: what is kept of it does not agree with itself: no store has written it so.
   */
  readonly entry: AuditEntry | "missing" | "broken"
}

/** The chains of the audit log, to be gone through. */
export interface AuditChainReading {
  /** The key of the chains' keyed hashes, sealed by the vault; undefined before the first entry is linked. */
  readonly chainKey: Effect.Effect<string | undefined>
  /** The account with the least number above `after` that has an entry, a link or a checkpoint. */
  readonly nextAccount: (after: number) => Effect.Effect<AccountId | undefined>
  readonly checkpoint: (accountId: AccountId) => Effect.Effect<AuditCheckpoint | undefined>
  /** An account's links behind place `seq`, in the order of their places. */
  readonly after: (accountId: AccountId, seq: number, limit: number) => Effect.Effect<ReadonlyArray<SealedEntry>>
  /** The last entry of all accounts that was linked, pruned ones included; 0 before there is one. */
  readonly lastSealed: Effect.Effect<number>
  /** An account's entries behind `after`, up to the last of all accounts that was linked, that have no link themselves. */
  readonly unlinked: (accountId: AccountId, after: number, limit: number) => Effect.Effect<ReadonlyArray<AuditEntryId>>
  /** How many entries of an account still wait for their link. */
  readonly waiting: (accountId: AccountId) => Effect.Effect<number>
}

export interface AuditSealRepository extends AuditChainReading {
  /** Keeps the chains' key, sealed. It stays for as long as there are chains. */
  readonly keepChainKey: (sealed: string) => Effect.Effect<void>
  /** The entries of all accounts behind `lastSealed`, in the order of their numbers. */
  readonly next: (limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
  readonly head: (accountId: AccountId) => Effect.Effect<AuditHead | undefined>
  readonly add: (seal: AuditSeal) => Effect.Effect<void>
  /** Removes the checkpoint's links and their entries, and keeps it in the place of the account's last checkpoint. */
  readonly prune: (checkpoint: AuditCheckpoint) => Effect.Effect<void>
}
