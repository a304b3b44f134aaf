import type {
  Account,
  Instant,
  Password,
  Session,
  SessionId,
  SignInLink,
  TryWindow,
  User,
  UserId
} from "@tapedeck/domain"
import type { Effect } from "effect"

/** Whom a session stands for. */
export interface SessionHolder {
  readonly session: Session
  readonly user: User
  readonly account: Account
}

export interface SessionRepository {
  /** Expired sessions, and those of deactivated users, are found too: the use case refuses them. */
  readonly holder: (hash: string) => Effect.Effect<SessionHolder | undefined>
  /** Newest first: `createdAt` descending, then `id`. Expired ones too, until they are pruned. */
  readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>>
  readonly save: (session: Session) => Effect.Effect<void>
  readonly remove: (id: SessionId) => Effect.Effect<void>
  /** Removes those that have expired. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}

export interface PasswordRepository {
  readonly ofUser: (userId: UserId) => Effect.Effect<Password | undefined>
  readonly save: (password: Password) => Effect.Effect<void>
}

export interface SignInLinkRepository {
  readonly byHash: (hash: string) => Effect.Effect<SignInLink | undefined>
  /** Adds the link, and removes the ones before it of the same user; those for nobody are one another's. */
  readonly replace: (link: SignInLink) => Effect.Effect<void>
  /** Removes every link of this user; null: those for nobody. */
  readonly removeOf: (userId: UserId | null) => Effect.Effect<void>
  /** Removes those that have expired. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}

export interface TryWindowRepository {
  readonly byKey: (key: string) => Effect.Effect<TryWindow | undefined>
  readonly save: (window: TryWindow) => Effect.Effect<void>
  readonly remove: (key: string) => Effect.Effect<void>
  /** Removes those that have ended. */
  readonly prune: (now: Instant) => Effect.Effect<void>
}
