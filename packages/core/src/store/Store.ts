import { Context, Effect, Layer } from "effect"
import type { AccountRepository, RateWindowRepository, TokenRepository, UserRepository } from "./accounts.ts"
import type { Agenda, RedeliveryRepository } from "./agenda.ts"
import type { AuditEntryRepository, AuditSealRepository } from "./auditLog.ts"
import type { CaptureLinkRepository, CaptureRepository, SiteRepository } from "./captures.ts"
import type { ChangeLog, Transaction } from "./changes/ChangeLog.ts"
import type { DeliveryRepository } from "./deliveries.ts"
import type { FileRepository } from "./files.ts"
import type { AutomationRepository, DestinationRepository, FolderRepository } from "./folders.ts"
import type { IdempotencyKeyRepository } from "./idempotencyKeys.ts"
import type { JobRepository } from "./jobs.ts"
import type { RecordingPartRepository, RecordingRepository } from "./recordings.ts"
import type { ShareLinkRepository } from "./shareLinks.ts"
import type { PasswordRepository, SessionRepository, SignInLinkRepository, TryWindowRepository } from "./signIn.ts"
import type { StatisticsRepository } from "./statistics.ts"
import type { UploadRepository } from "./uploads.ts"

export type * from "./accounts.ts"
export type * from "./agenda.ts"
export type * from "./auditLog.ts"
export type * from "./captures.ts"
export * from "./deliveries.ts"
export type * from "./files.ts"
export type * from "./folders.ts"
export * from "./idempotencyKeys.ts"
export type * from "./jobs.ts"
export * from "./recordingChanges.ts"
export * from "./recordings.ts"
export type * from "./shareLinks.ts"
export type * from "./signIn.ts"
export * from "./slices.ts"
export type * from "./statistics.ts"
export type * from "./uploads.ts"

/** Kinds of objects that are numbered, each from 1. */
export type Numbered = "account" | "user" | "recording" | "audit_entry"

/** The free space for writes. A write that finds none fails with the defect `StorageFull`. */
export interface StorageSpace {
  /** True if a write found no space, and there is still none. Checks at most once a second. */
  readonly isFull: Effect.Effect<boolean>
  /** Records that a write outside the store, on the same disk, found none. */
  readonly ranOut: Effect.Effect<void>
}

/**
 * A whole store. Each member is a port of its own (`StorePart`): a use case requires those that it uses. What runs inside
 * `transaction` is written completely or not at all; a repository call outside one is a transaction of its own. A transaction within
 * a transaction is part of it.
 */
export interface Store {
  readonly transaction: Transaction
  readonly nextNumber: (kind: Numbered) => Effect.Effect<number>
  /**
   * True in one of the processes that share the store: it reports the numbers of the whole store, so that each is reported once. When
   * the process ends, or does not ask for two minutes, another one takes its place.
   */
  readonly isReporter: Effect.Effect<boolean>
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
  readonly jobs: JobRepository
  readonly agenda: Agenda
  readonly files: FileRepository
  readonly uploads: UploadRepository
  readonly space: StorageSpace
  readonly rateWindows: RateWindowRepository
  readonly idempotencyKeys: IdempotencyKeyRepository
  readonly sessions: SessionRepository
  readonly passwords: PasswordRepository
  readonly signInLinks: SignInLinkRepository
  readonly tryWindows: TryWindowRepository
}

/** One member of a store as a requirement. */
export interface StorePart<Name extends keyof Store> {
  readonly name: Name
}

/** Members of a store as requirements: all, unless `Names` says which. */
export type StoreParts<Names extends keyof Store = keyof Store> = { readonly [Name in Names]: StorePart<Name> }[Names]

const keyPrefix = "@tapedeck/core/Store/"

const keys = new Map<string, unknown>()

/** Returns the key of a member, which is made of its name. */
const keyOf = <Name extends keyof Store>(name: Name) => {
  const known = keys.get(name) ?? Context.Service(keyPrefix + name)
  keys.set(name, known)
  return known as Context.Key<StorePart<Name>, Store[Name]>
}

/** Returns the keys of the members `names`. */
export const storeKeys = <Names extends keyof Store>(
  ...names: ReadonlyArray<Names>
): ReadonlyArray<{ readonly [Name in Names]: Context.Key<StorePart<Name>, Store[Name]> }[Names]> => names.map(keyOf)

/** Returns the members `names` of the store, and requires these alone. */
export const storeOf = <Names extends keyof Store>(
  ...names: readonly [Names, ...ReadonlyArray<Names>]
): Effect.Effect<Pick<Store, Names>, never, StoreParts<Names>> =>
  Effect.contextWith((context: Context.Context<StoreParts<Names>>) =>
    Effect.sync(() => Object.fromEntries(names.map((name) => [name, Context.getUnsafe(context, keyOf(name))])) as never)
  )

/** Runs `body` in a transaction of the store. */
export const inTransaction = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(storeOf("transaction"), ({ transaction }) => transaction(body))

/** The whole store, of a program that has all members. */
export const wholeStore: Effect.Effect<Store, never, StoreParts> = Effect.contextWith(({ mapUnsafe }) => {
  const parts = [...mapUnsafe].filter(([key]) => key.startsWith(keyPrefix))
  return Effect.succeed(Object.fromEntries(parts.map(([key, part]) => [key.slice(keyPrefix.length), part])) as never)
})

/** The members of a store, each as a service. */
export const storeContext = <Names extends keyof Store>(
  parts: Pick<Store, Names>
): Context.Context<StoreParts<Names>> =>
  Context.makeUnsafe(new Map(Object.entries(parts).map(([name, part]) => [keyPrefix + name, part])))

/** The members of a store, each as a service: `storeLayer(makeMemoryStore(emptyWorld()).store)`, or those that a program needs. */
export const storeLayer = <Names extends keyof Store>(parts: Pick<Store, Names>): Layer.Layer<StoreParts<Names>> =>
  Layer.succeedContext(storeContext(parts))
