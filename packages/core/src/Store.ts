import { Context, type Effect } from "effect"
import type { AccountRepository, RateWindowRepository, TokenRepository, UserRepository } from "./store/accounts.ts"
import type { Agenda, MediaJobRepository, TranscriptStepRepository } from "./store/agenda.ts"
import type { AuditEntryRepository, AuditSealRepository } from "./store/auditLog.ts"
import type { DeliveryRepository } from "./store/deliveries.ts"
import type { FileRepository } from "./store/files.ts"
import type { AutomationRepository, DestinationRepository, FolderRepository } from "./store/folders.ts"
import type { IdempotencyKeyRepository } from "./store/idempotencyKeys.ts"
import type { RecordingPartRepository, RecordingRepository } from "./store/recordings.ts"
import type {
  PasswordRepository,
  SessionRepository,
  SignInLinkRepository,
  TryWindowRepository
} from "./store/signIn.ts"

export type * from "./store/accounts.ts"
export type * from "./store/agenda.ts"
export type * from "./store/auditLog.ts"
export type * from "./store/deliveries.ts"
export type * from "./store/files.ts"
export type * from "./store/folders.ts"
export * from "./store/idempotencyKeys.ts"
export type * from "./store/recordings.ts"
export type * from "./store/signIn.ts"
export * from "./store/slices.ts"

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
