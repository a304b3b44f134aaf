import type { Account, Instant, SessionId, User, UserId } from "@tapedeck/domain"
import type { Password, Session, SignInLink, TryWindow } from "@tapedeck/domain/internal/people"
import type { Effect } from "effect"

/** A session with its user and account. */
export interface SessionHolder {
  readonly session: Session
  readonly user: User
  readonly account: Account
}

export interface SessionRepository {
  /** Includes expired sessions and those of deactivated users: the use case refuses them. */
  readonly holder: (hash: string) => Effect.Effect<SessionHolder | undefined>
  /** Newest first: `createdAt` descending, then `id`. Includes expired sessions until they are pruned. */
  readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>>
  readonly save: (session: Session) => Effect.Effect<void>
  readonly remove: (id: SessionId) => Effect.Effect<void>
  /** Removes expired ones; a database removes `maxPruned` of them. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}

export interface PasswordRepository {
  readonly ofUser: (userId: UserId) => Effect.Effect<Password | undefined>
  readonly save: (password: Password) => Effect.Effect<void>
}

export interface SignInLinkRepository {
  readonly byHash: (hash: string) => Effect.Effect<SignInLink | undefined>
  /** Adds the link, and removes the user's other links. Links without a user stay: several processes print one each. */
  readonly replace: (link: SignInLink) => Effect.Effect<void>
  /** Removes every link of the user; null: those without a user. */
  readonly removeOf: (userId: UserId | null) => Effect.Effect<void>
  /** Removes expired ones; a database removes `maxPruned` of them. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}

/**
 * Maximum time by which an open window of this length may begin in the future, in milliseconds: concurrent calls read the clock before
 * they count, and count in another order, and nodes' clocks differ. At most one minute, and at most the window's length.
 */
export const windowSkewMs = (lengthMs: number): number => Math.min(60_000, lengthMs)

/**
 * Counters of time windows. Each change is one statement, which waits for concurrent ones and does not conflict with them, unless it
 * is part of a transaction: count outside.
 */
export interface TryWindowRepository {
  readonly byKey: (key: string) => Effect.Effect<TryWindow | undefined>
  /**
   * Adds `tries` to the window of the key, and returns the window. It replaces one that has ended at `at`, or that ends more than
   * `windowSkewMs` after `endsAt`: that one began in the future, by a clock that was set back since.
   */
  readonly count: (window: TryWindow, at: Instant) => Effect.Effect<TryWindow>
  /** Takes tries back: at most those that are counted. */
  readonly uncount: (key: string, tries: number) => Effect.Effect<void>
  /** Replaces the window's end, and subtracts `tries`. False if another call has replaced the end `before` since it was read. */
  readonly extend: (before: TryWindow, endsAt: Instant, tries: number) => Effect.Effect<boolean>
  readonly remove: (key: string) => Effect.Effect<void>
  /** Removes windows that have ended; a database removes `maxPruned` of them. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}
