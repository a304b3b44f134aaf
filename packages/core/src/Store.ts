import type {
  AccessToken,
  Account,
  AccountId,
  AuditCheckpoint,
  AuditDestination,
  AuditEntry,
  AuditEntryId,
  AuditEventType,
  AuditHead,
  AuditSeal,
  Automation,
  AutomationId,
  DeliveryId,
  DestinationId,
  Folder,
  FolderId,
  Instant,
  MediaJob,
  Platform,
  Recording,
  RecordingId,
  RecordingParts,
  RecordingUuid,
  Segment,
  TokenId,
  TranscriptStatus,
  User,
  UserId
} from "@tapedeck/domain"
import { Context, type Effect, type Stream } from "effect"
import type { DeliveryRepository } from "./DeliveryRepository.ts"
import type { IdempotencyKeyRepository } from "./idempotency/ports.ts"
import type {
  PasswordRepository,
  SessionRepository,
  SignInLinkRepository,
  TryWindowRepository
} from "./signIn/ports.ts"
import type { Part, Slice } from "./slices.ts"

export type * from "./DeliveryRepository.ts"
export * from "./slices.ts"

export interface RecordingFilter {
  readonly accountId: AccountId
  /** Only this user's recordings (a member's view). */
  readonly ownerId?: UserId
  /** Normalized ticket id or active follow-up id, exactly (N6), and the platform it is restricted to. */
  readonly ticket?: { readonly ticketId: string; readonly platform?: Platform }
  /** Only what is in this folder; not together with `ticket`. */
  readonly folderId?: FolderId
}

export interface AccountRepository {
  readonly byId: (id: AccountId) => Effect.Effect<Account | undefined>
  readonly list: Effect.Effect<ReadonlyArray<Account>>
  readonly save: (account: Account) => Effect.Effect<void>
}

export interface UserFilter {
  readonly accountId: AccountId
  /** Without those who were deactivated. */
  readonly activeOnly?: boolean
}

export interface UserRepository {
  readonly byId: (id: UserId) => Effect.Effect<User | undefined>
  /** E-mail addresses are unique in a store and match without regard to case (R16). */
  readonly byEmail: (email: string) => Effect.Effect<User | undefined>
  /** Oldest first: `createdAt`, then `id` (R7). */
  readonly page: (filter: UserFilter, slice: Slice) => Effect.Effect<Part<User>>
  /** How many admins of the account are active. */
  readonly countActiveAdmins: (accountId: AccountId) => Effect.Effect<number>
  readonly save: (user: User) => Effect.Effect<void>
}

/** Whom an access token stands for. */
export interface TokenHolder {
  readonly token: AccessToken
  readonly user: User
  readonly account: Account
}

export interface TokenRepository {
  /** Revoked tokens and tokens of deactivated users are found too: the use case refuses them (R19). */
  readonly holder: (hash: string) => Effect.Effect<TokenHolder | undefined>
  readonly byId: (id: TokenId) => Effect.Effect<AccessToken | undefined>
  /** A user's access tokens, without sessions and what was revoked. Newest first: `createdAt` descending, then `id`. */
  readonly page: (userId: UserId, slice: Slice) => Effect.Effect<Part<AccessToken>>
  readonly save: (token: AccessToken) => Effect.Effect<void>
}

export interface RecordingRepository {
  readonly byId: (id: RecordingId) => Effect.Effect<Recording | undefined>
  readonly byUuid: (uuid: RecordingUuid) => Effect.Effect<Recording | undefined>
  /** Newest first: `createdAt` descending, then `id` descending (R7). */
  readonly page: (filter: RecordingFilter, slice: Slice) => Effect.Effect<Part<Recording>>
  /** Bytes of all files of a user's recordings. */
  readonly storedBytes: (owner: Required<Pick<RecordingFilter, "accountId" | "ownerId">>) => Effect.Effect<number>
  /** Its views are those that were counted: `impressionsCount` is written for a new recording only. */
  readonly save: (recording: Recording) => Effect.Effect<void>
  /** With its parts. */
  readonly remove: (uuid: RecordingUuid) => Effect.Effect<void>
  /** All recordings leave the folder; gives how many. */
  readonly leaveFolder: (id: FolderId) => Effect.Effect<number>
  /**
   * Adds one to the views of a recording. The next read on this process shows it; other processes on the same database show
   * it within a second, and a crash loses at most the last second of views.
   */
  readonly countView: (id: RecordingId) => Effect.Effect<void>
}

/** The parts of a recording that are read in one piece. */
export type WholePart = Exclude<keyof RecordingParts, SegmentSource>

/** The parts of a recording that are read a page at a time. */
export type SegmentSource = "edited" | "processed"

/**
 * The large parts of recordings. A recording without parts has `noParts`. A change to a transcript's texts belongs in the
 * transaction that saves the recording, which says how many segments there are.
 */
export interface RecordingPartRepository {
  readonly read: <Name extends WholePart>(
    id: RecordingId,
    ...names: ReadonlyArray<Name>
  ) => Effect.Effect<Pick<RecordingParts, Name>>
  /** In order. */
  readonly segments: (id: RecordingId, source: SegmentSource, slice: Slice) => Effect.Effect<ReadonlyArray<Segment>>
  /** Writes the parts that are given; the others stay as they are. The recording is there. */
  readonly save: (id: RecordingId, parts: Partial<RecordingParts>) => Effect.Effect<void>
}

export interface FolderRepository {
  readonly byId: (id: FolderId) => Effect.Effect<Folder | undefined>
  /** In the order in which they were made. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Folder>>
  readonly save: (folder: Folder) => Effect.Effect<void>
  readonly remove: (id: FolderId) => Effect.Effect<void>
}

export interface AutomationRepository {
  readonly byId: (id: AutomationId) => Effect.Effect<Automation | undefined>
  /** In the order in which they were made, which is the order in which they fire. */
  readonly ofFolder: (folderId: FolderId) => Effect.Effect<ReadonlyArray<Automation>>
  /** In the order in which they were made. */
  readonly ofAccount: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Automation>>
  readonly save: (automation: Automation) => Effect.Effect<void>
  /** Its deliveries, and their log, stay. */
  readonly remove: (id: AutomationId) => Effect.Effect<void>
}

export interface DestinationRepository {
  readonly byId: (id: DestinationId) => Effect.Effect<AuditDestination | undefined>
  /** In the order in which they were made. */
  readonly ofAccount: (accountId: AccountId) => Effect.Effect<ReadonlyArray<AuditDestination>>
  readonly save: (destination: AuditDestination) => Effect.Effect<void>
  /** Its deliveries, and their log, stay. */
  readonly remove: (id: DestinationId) => Effect.Effect<void>
}

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

/** A step of a transcript that falls due by time. */
export interface TranscriptStep {
  readonly recordingUuid: RecordingUuid
  readonly at: Instant
  readonly status: TranscriptStatus
}

export interface TranscriptStepRepository {
  readonly add: (step: TranscriptStep) => Effect.Effect<void>
  /** Removes and gives the steps that are due, in due order. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<TranscriptStep>>
}

/** A job that one worker has in hand, until its lease ends; then the next who asks gets it, with another fence. */
export interface MediaClaim {
  readonly job: MediaJob
  /** No two claims ever have the same, nor has a job that was added again. */
  readonly fence: number
}

/** Whatever a claim writes is written only as long as it is the job's last: else nothing is, and the answer is `false`. */
export interface MediaJobRepository {
  /** At most one of a kind for a recording: the one before is replaced, and whoever has it in hand has lost it. */
  readonly add: (job: MediaJob) => Effect.Effect<void>
  readonly ofRecording: (uuid: RecordingUuid) => Effect.Effect<ReadonlyArray<MediaJob>>
  /**
   * Takes up to `limit` jobs that are due, or whose lease has ended, the longest due first. The store's own clock says
   * what is due.
   */
  readonly claim: (options: {
    readonly limit: number
    readonly leaseMs: number
  }) => Effect.Effect<ReadonlyArray<MediaClaim>>
  /** The lease lasts for another `leaseMs` from now. */
  readonly extend: (claim: MediaClaim, leaseMs: number) => Effect.Effect<boolean>
  /** The job is done with. */
  readonly finish: (claim: MediaClaim) => Effect.Effect<boolean>
  /** The job is given back, as it is to go on: `job` says when. */
  readonly postpone: (claim: MediaClaim, job: MediaJob) => Effect.Effect<boolean>
  /** Takes a recording's job away, whoever has it in hand; without a kind, all of them. */
  readonly remove: (uuid: RecordingUuid, kind?: MediaJob["kind"]) => Effect.Effect<void>
}

/** Something that will happen: an attempt's start, the end of one whose result is held, a lease's end, a transcript's step. */
export type Due =
  | { readonly kind: "attempt"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "attempt_end"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "lease"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "transcript"; readonly at: Instant; readonly step: TranscriptStep }

export interface Agenda {
  readonly next: Effect.Effect<Due | undefined>
  /** Everything that will happen, in the order in which it will. */
  readonly list: Effect.Effect<ReadonlyArray<Due>>
  /** Completes at the next commit that puts something on the agenda, or adds a media job. */
  readonly changed: Effect.Effect<void>
}

/** What is in a file: its bytes, or so many made-up ones, which are the same at each reading and take no memory. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "made_up"; readonly sizeBytes: number }

export interface FileRepository {
  readonly save: (id: string, content: FileContent) => Effect.Effect<void>
  /**
   * Writes a file from its bytes as they come, and gives how many there were. A stream that fails, or a caller that gives
   * up, leaves no file. It takes as long as the stream does: not for use inside a transaction.
   */
  readonly write: <E, R>(id: string, bytes: Stream.Stream<Uint8Array, E, R>) => Effect.Effect<number, E, R>
  /** A reading that has begun goes on. */
  readonly remove: (id: string) => Effect.Effect<void>
  /** The bytes from `start` (from 0), `length` of them or as many as there are, in pieces; undefined when there is no such file. */
  readonly read: (id: string, start: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array> | undefined>
}

/** How many requests a token made in the rate limit's present window. */
export interface RateWindow {
  readonly startedAt: Instant
  readonly requests: number
}

export interface RateWindowRepository {
  readonly byToken: (id: TokenId) => Effect.Effect<RateWindow | undefined>
  readonly save: (id: TokenId, window: RateWindow) => Effect.Effect<void>
}

/** Kinds of things that are numbered, each from 1. */
export type Numbered = "account" | "user" | "recording" | "audit_entry"

/** The space that is left for what is written. A write that finds none is the defect `StorageFull`. */
export interface StorageSpace {
  /** Whether a write found none, and there is still none. Asks again a second later at the earliest. */
  readonly isFull: Effect.Effect<boolean>
  /** Notes that a write beside the store, on the same disk, found none. */
  readonly ranOut: Effect.Effect<void>
}

/**
 * The one port behind all use cases. What runs inside `transaction` is written as a whole or not at all; a repository
 * call outside one is a transaction of its own. A transaction within a transaction is part of it.
 */
export class Store extends Context.Service<
  Store,
  {
    readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly nextNumber: (kind: Numbered) => Effect.Effect<number>
    readonly accounts: AccountRepository
    readonly users: UserRepository
    readonly tokens: TokenRepository
    readonly recordings: RecordingRepository
    readonly recordingParts: RecordingPartRepository
    readonly folders: FolderRepository
    readonly automations: AutomationRepository
    readonly destinations: DestinationRepository
    readonly auditEntries: AuditEntryRepository
    readonly auditSeals: AuditSealRepository
    readonly deliveries: DeliveryRepository
    readonly transcriptSteps: TranscriptStepRepository
    readonly mediaJobs: MediaJobRepository
    readonly agenda: Agenda
    readonly files: FileRepository
    readonly space: StorageSpace
    readonly rateWindows: RateWindowRepository
    readonly idempotencyKeys: IdempotencyKeyRepository
    readonly sessions: SessionRepository
    readonly passwords: PasswordRepository
    readonly signInLinks: SignInLinkRepository
    readonly tryWindows: TryWindowRepository
  }
>()("@tapedeck/core/Store") {}
