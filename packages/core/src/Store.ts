import { Context, type Effect } from "effect"
import type { ChangeLog } from "./changes/ChangeLog.ts"
import type { AccountRepository, RateWindowRepository, TokenRepository, UserRepository } from "./store/accounts.ts"
import type {
  Agenda,
  MailRepository,
  MediaJobRepository,
  RedeliveryRepository,
  TranscriptStepRepository
} from "./store/agenda.ts"
import type { AuditEntryRepository, AuditSealRepository } from "./store/auditLog.ts"
import type { CaptureLinkRepository, CaptureRepository, SiteRepository } from "./store/captures.ts"
import type { DeliveryRepository } from "./store/deliveries.ts"
import type { FileRepository } from "./store/files.ts"
import type { AutomationRepository, DestinationRepository, FolderRepository } from "./store/folders.ts"
import type { IdempotencyKeyRepository } from "./store/idempotencyKeys.ts"
import type { RecordingPartRepository, RecordingRepository } from "./store/recordings.ts"
import type { ShareLinkRepository } from "./store/shareLinks.ts"
import type {
  PasswordRepository,
  SessionRepository,
  SignInLinkRepository,
  TryWindowRepository
} from "./store/signIn.ts"
import type { StatisticsRepository } from "./store/statistics.ts"

export type * from "./store/accounts.ts"
export type * from "./store/agenda.ts"
export type * from "./store/auditLog.ts"
export type * from "./store/captures.ts"
export * from "./store/deliveries.ts"
export type * from "./store/files.ts"
export type * from "./store/folders.ts"
export * from "./store/idempotencyKeys.ts"
export * from "./store/recordings.ts"
export type * from "./store/shareLinks.ts"
export type * from "./store/signIn.ts"
export * from "./store/slices.ts"
export type * from "./store/statistics.ts"

/** Kinds of objects that are numbered, each from 1. */
export type Numbered = "account" | "user" | "recording" | "audit_entry"

/** The free space for writes. A write that finds none fails with the defect `StorageFull`. */
export interface StorageSpace {
  /** Whether a write found none, and there is still none. Checks at most once a second. */
  readonly isFull: Effect.Effect<boolean>
  /** Records that a write outside the store, on the same disk, found none. */
  readonly ranOut: Effect.Effect<void>
}

/**
 * The port behind all use cases. What runs inside `transaction` is written completely or not at all; a repository call outside one
 * is a transaction of its own. A transaction within a transaction is part of it.
 */
export class Store extends Context.Service<
  Store,
  {
    readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly nextNumber: (kind: Numbered) => Effect.Effect<number>
    /** The latest changes, for readers of events. */
    readonly changes: ChangeLog
    readonly accounts: AccountRepository
    readonly users: UserRepository
    readonly tokens: TokenRepository
    readonly recordings: RecordingRepository
    readonly recordingParts: RecordingPartRepository
    readonly shareLinks: ShareLinkRepository
    readonly folders: FolderRepository
    readonly automations: AutomationRepository
    readonly destinations: DestinationRepository
    readonly sites: SiteRepository
    readonly captureLinks: CaptureLinkRepository
    readonly captures: CaptureRepository
    readonly auditEntries: AuditEntryRepository
    readonly auditSeals: AuditSealRepository
    readonly deliveries: DeliveryRepository
    readonly redeliveries: RedeliveryRepository
    readonly statistics: StatisticsRepository
    readonly transcriptSteps: TranscriptStepRepository
    readonly mediaJobs: MediaJobRepository
    readonly mails: MailRepository
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
